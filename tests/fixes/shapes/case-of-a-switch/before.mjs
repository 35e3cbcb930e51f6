import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);

switch (process.argv[2] ?? "stdio") {
  case "stdio":
    await server.connect(new StdioServerTransport());
    break;
  default:
    break;
}
