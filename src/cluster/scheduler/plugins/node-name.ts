// A pod that names its node runs there or nowhere. (Such pods seldom reach the scheduler: they count as assigned.)

import { type FilterPlugin, hint } from '../plugin.ts'
import { refuseForGood } from '../refusal.ts'

const refusal = refuseForGood("node(s) didn't match the requested node name")

export const nodeName: FilterPlugin = {
  name: 'NodeName',
  ofNode: true,
  helpedBy: [hint('nodeAdded', ({ spec }, { object }) => object.metadata.name === spec.nodeName)],
  prepareFilter({ spec }) {
    const wanted = spec.nodeName
    if (wanted === undefined || wanted === '') return undefined
    return ({ name }) => (name === wanted ? undefined : refusal)
  },
}
