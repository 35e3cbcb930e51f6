import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

setInterval(() => {}, 1000);

class App {
  readonly #server = new McpServer({ name: "shape", version: "1.0.0" });

  async run(): Promise<void> {
    await this.#server.connect(new StdioServerTransport());
  }
}

await new App().run();
