import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

export const Card = (props: { title: string }) => <b>{props.title}</b>;
const server = new McpServer({ name: "shape", version: "1.0.0" });
setInterval(() => {}, 1000);
await server.connect(new StdioServerTransport());
