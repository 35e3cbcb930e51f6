import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);
const pause = () => new Promise((done) => setTimeout(done, 50));

async function tidy() {
  await pause();
}

process.on("SIGTERM", () => void tidy());
await server.connect(new StdioServerTransport());
