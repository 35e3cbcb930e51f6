import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

function report(problem: unknown): void {
  console.error(problem);
}

process.on("uncaughtException", report);
process.stdin.on("end", () => process.exit(0));
await server.connect(new StdioServerTransport());
