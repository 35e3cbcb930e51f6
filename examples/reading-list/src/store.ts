import { readFile, rename, writeFile } from "node:fs/promises";

export interface Item {
  readonly url: string;
  readonly title: string;
  read: boolean;
}

/** What to read, kept in one JSON file. */
export class ReadingList {
  #changed = false;

  private constructor(
    private readonly file: string,
    private readonly items: Item[],
  ) {}

  static async open(file: string): Promise<ReadingList> {
    const text = await readFile(file, "utf8").catch(() => "[]");
    return new ReadingList(file, JSON.parse(text) as Item[]);
  }

  add(url: string, title: string): void {
    this.items.push({ url, title, read: false });
    this.#changed = true;
  }

  finish(url: string): boolean {
    const item = this.items.find((candidate) => candidate.url === url);
    if (item === undefined) return false;
    item.read = true;
    this.#changed = true;
    return true;
  }

  unread(): readonly Item[] {
    return this.items.filter((item) => !item.read);
  }

  async save(): Promise<void> {
    if (!this.#changed) return;
    this.#changed = false;
    await writeFile(`${this.file}.new`, JSON.stringify(this.items, null, 2));
    await rename(`${this.file}.new`, this.file);
  }
}
