// Peers that no registry offers in a form that runs. The script does not try their names: whoever takes a free name on a
// registry would get code run here.

export const absent: readonly { name: string; reason: string }[] = [
  { name: 'GlitchTip', reason: 'no package on PyPI; it is published as container images' },
  { name: 'urgentry', reason: 'its Go module is called "urgentry", which "go install" refuses at any address' },
  {
    name: 'GoSnag',
    reason: 'its Go module lacks the built screens that its binary embeds, so "go install" cannot build it',
  },
  { name: 'Rustrak', reason: 'no crate on crates.io; it is published as container images' },
]
