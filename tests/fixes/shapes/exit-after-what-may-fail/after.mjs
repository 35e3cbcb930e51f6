import { appendFile } from "node:fs/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

process.on("unhandledRejection", (problem) => {
  console.error(problem);
  process.exit(1);
});

async function leave() {
  try {
    await appendFile("diary.txt", "bye\n");
  } finally {
    process.exit(0); // done
  }
}

process.stdin.on("end", leave);
await server.connect(new StdioServerTransport());
