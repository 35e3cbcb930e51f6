import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

process.on("SIGINT", () => { process.exit(0); });
process.stdin.on("end", () => process.exit(0));
await server.connect(new StdioServerTransport());
