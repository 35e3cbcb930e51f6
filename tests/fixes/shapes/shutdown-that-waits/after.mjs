import http from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "shape", version: "1.0.0" });
const web = http.createServer(() => {}).listen(0);

let done = false;
function leave() {
  if (done) return;
  done = true;
  setTimeout(() => process.exit(1), 5000).unref();
  web.close(() => process.exit(0));
}

process.stdin.on("end", leave);
await server.connect(new StdioServerTransport());
