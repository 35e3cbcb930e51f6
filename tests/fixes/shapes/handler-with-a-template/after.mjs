import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

process.stdin.on("end", async () => {
  try {
    console.error(`gone
  for good`);

    await server.close();
  } finally {
    process.exit(0);
  }
});
await server.connect(new StdioServerTransport());
