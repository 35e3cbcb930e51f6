import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

const stopping = new Set();
const shutdown = () => stopping.clear();
shutdown();
let isStopping = false;
const shutDown = async () => {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => process.exit(1), 5000).unref();
  try {
    await server.close();
  } finally {
    process.exit(0);
  }
};
process.stdin.once("end", shutDown);
process.stdin.once("close", shutDown);
process.stdin.once("error", shutDown);
if (process.stdin.readableEnded || process.stdin.destroyed) shutDown();
process.once("SIGTERM", shutDown);
process.once("SIGINT", shutDown);

await server.connect(new StdioServerTransport());
