import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

setInterval(() => {}, 1000);
const pause = () => new Promise((done) => setTimeout(done, 50));

class App {
  server = new McpServer({ name: "shape", version: "1.0.0" });

  constructor() {
    process.on("SIGTERM", () => this.stop());
  }

  async stop() {
    await pause();
    process.exit(0);
  }

  async run() {
    await this.server.connect(new StdioServerTransport());
  }
}

await new App().run();
