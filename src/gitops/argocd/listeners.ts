// News that are handed on to whoever listens: from the outside into a loop's queue, or from one loop to another's queue.

type Told<News> = (news: News) => void | Promise<void>

export class Listeners<News> {
  readonly #told = new Set<Told<News>>()

  add(told: Told<News>): () => void {
    this.#told.add(told)
    return () => this.#told.delete(told)
  }

  async tell(news: News): Promise<void> {
    for (const told of this.#told) await told(news)
  }
}
