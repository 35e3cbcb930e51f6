import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

function leave(code = 0) {
  process.exit(code);
}

process.on("SIGTERM", () => leave(0));
process.stdin.once("end", () => leave());
process.stdin.once("close", () => leave());
process.stdin.once("error", () => leave());
if (process.stdin.readableEnded || process.stdin.destroyed) leave();
process.once("SIGINT", () => leave());
process.on("SIGHUP", leave);
await server.connect(new StdioServerTransport());
