import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

setInterval(() => {}, 1000);
await new McpServer({ name: "shape", version: "1.0.0" }).connect(new StdioServerTransport());
