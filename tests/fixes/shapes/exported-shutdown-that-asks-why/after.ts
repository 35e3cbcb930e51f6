import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

let stopping = false;
export async function shutdown(signal: NodeJS.Signals): Promise<void> {
  if (stopping) return;
  stopping = true;
  console.error(signal);
  await server.close();
  process.exit(0);
}

process.on("SIGINT", () => shutdown("SIGINT"));
process.on("SIGTERM", () => shutdown("SIGTERM"));
process.stdin.once("end", () => shutdown("SIGTERM"));
process.stdin.once("close", () => shutdown("SIGTERM"));
process.stdin.once("error", () => shutdown("SIGTERM"));
if (process.stdin.readableEnded || process.stdin.destroyed) shutdown("SIGTERM");
await server.connect(new StdioServerTransport());
