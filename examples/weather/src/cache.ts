interface Entry<T> {
  readonly value: T;
  readonly until: number;
}

/** Remembers values for a while. */
export class Cache<T> {
  readonly #entries = new Map<string, Entry<T>>();

  constructor(private readonly seconds: number) {
    setInterval(() => this.evict(), 60_000);
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > Date.now() ? entry.value : undefined;
  }

  set(key: string, value: T): void {
    this.#entries.set(key, { value, until: Date.now() + this.seconds * 1_000 });
  }

  private evict(): void {
    const now = Date.now();
    for (const [key, entry] of this.#entries) {
      if (entry.until <= now) this.#entries.delete(key);
    }
  }
}
