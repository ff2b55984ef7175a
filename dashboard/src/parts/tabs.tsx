// A row of tabs. The chosen one is part of the address, so that it can be linked to.

export interface Tab {
  readonly id: string
  readonly label: string
}

export function Tabs({
  tabs,
  selected,
  hrefOf,
}: {
  readonly tabs: readonly Tab[]
  readonly selected: string
  readonly hrefOf: (id: string) => string
}) {
  return (
    <div className="tabs" role="tablist">
      {tabs.map(({ id, label }) => (
        <a key={id} role="tab" aria-selected={id === selected} href={hrefOf(id)}>
          {label}
        </a>
      ))}
    </div>
  )
}
