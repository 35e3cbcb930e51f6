import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

function process(text) {
  return text.trim();
}

process("x");
let stopping = false;
const shutdown = async () => {
  if (stopping) return;
  stopping = true;
  setTimeout(() => globalThis.process.exit(1), 5000).unref();
  try {
    await server.close();
  } finally {
    globalThis.process.exit(0);
  }
};
globalThis.process.stdin.once("end", shutdown);
globalThis.process.stdin.once("close", shutdown);
globalThis.process.stdin.once("error", shutdown);
if (globalThis.process.stdin.readableEnded || globalThis.process.stdin.destroyed) shutdown();
globalThis.process.once("SIGTERM", shutdown);
globalThis.process.once("SIGINT", shutdown);

await server.connect(new StdioServerTransport());
