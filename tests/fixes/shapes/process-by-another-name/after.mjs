import proc from "node:process";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);
let stopping = false;
const shutdown = async () => {
  if (stopping) return;
  stopping = true;
  setTimeout(() => proc.exit(1), 5000).unref();
  try {
    await server.close();
  } finally {
    proc.exit(0);
  }
};
proc.stdin.once("end", shutdown);
proc.stdin.once("close", shutdown);
proc.stdin.once("error", shutdown);
if (proc.stdin.readableEnded || proc.stdin.destroyed) shutdown();
proc.once("SIGTERM", shutdown);
proc.once("SIGINT", shutdown);

await server.connect(new StdioServerTransport());
