import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);
const pause = () => new Promise((done) => setTimeout(done, 50));

async function tidy() {
  await pause();
}

let stopping = false;
const shutdown = () => {
  if (stopping) return;
  stopping = true;
  void tidy().finally(() => process.exit(0));
};
process.on("SIGTERM", shutdown);
process.stdin.once("end", shutdown);
process.stdin.once("close", shutdown);
process.stdin.once("error", shutdown);
if (process.stdin.readableEnded || process.stdin.destroyed) shutdown();
process.once("SIGINT", shutdown);
await server.connect(new StdioServerTransport());
