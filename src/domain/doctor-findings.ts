import type { DoctorFinding, DoctorStepName, DoctorWeight } from './doctor.ts'
import { type Command, commandOf, type DoctorTarget } from './doctor-commands.ts'

type Entry = {
  step: DoctorStepName
  weight: DoctorWeight
  /** The fault in one sentence with `{values}`. The English catalogue of the screens has the same text. */
  message: string
  /** The remedy. */
  mend: string
  command: Command | null
}

/** All possible findings between a frame and its source. Codes are stable. */
export const doctorFindings = {
  no_line: {
    step: 'address',
    weight: 'note',
    command: null,
    message: 'The SDK sent no line number for this frame, so it cannot be mapped.',
    mend: 'This frame cannot be fixed: the browser did not report its position.',
  },
  no_column: {
    step: 'address',
    weight: 'wrong',
    command: null,
    message: 'The frame in {url} has a line but no column. A position in a minified file needs both.',
    mend: 'Update the SDK. Check whether your own code removes the column from the stack.',
  },
  not_injected: {
    step: 'debug_id',
    weight: 'wrong',
    command: 'inject',
    message:
      'The event has no release and no debug id for {url}. No file that was uploaded without a release has this URL.',
    mend: 'Inject debug ids before the deploy, and upload the files. Then deploy exactly the injected files.',
  },
  sdk_old: {
    step: 'debug_id',
    weight: 'wrong',
    command: null,
    message:
      'The SDK {sdk} sends no debug ids, but the files uploaded at {when} have them. Version 7.47.0 is the first that sends them.',
    mend: 'Update the SDK. Or set release in its init and upload with --release.',
  },
  debug_id_missing: {
    step: 'debug_id',
    weight: 'wrong',
    command: 'inject',
    message:
      'The event has no debug id for {url}, but the files uploaded at {when} have them. The deployed file was not injected, or it belongs to another build.',
    mend: 'Inject debug ids before you copy the build to its server. Then deploy exactly those files.',
  },
  no_release: {
    step: 'debug_id',
    weight: 'wrong',
    command: 'inject',
    message: 'The event has no release and no debug id, but {found} was uploaded for release {release}.',
    mend: 'Set release in the SDK’s init to the name that you upload with. Or inject debug ids.',
  },
  by_address: {
    step: 'debug_id',
    weight: 'note',
    command: 'upload',
    message:
      'The deployed {url} has the debug id {debugId}, but the uploaded {found} has none. The two files differ, so positions may be off.',
    mend: 'Inject first, then upload.',
  },
  no_uploads: {
    step: 'bundle',
    weight: 'wrong',
    command: 'inject',
    message: 'The project {project} has no uploaded files.',
    mend: 'Upload the build before you deploy it.',
  },
  other_project: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message: 'The project {project} has no file for this event, but the project {other} has one.',
    mend: 'If it is the same application, upload to {project} (--project or SENTRY_PROJECT). A build for both projects can name both.',
  },
  debug_id_differs: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message:
      'The deployed {url} has the debug id {debugId}. The file uploaded for this URL at {when} has {foundId}, so it belongs to another build.',
    mend: 'Upload the files of the deployed build. If you did, something rebuilt between upload and deploy.',
  },
  debug_id_unknown: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message: 'No upload has the debug id {debugId} of {url}. The newest upload arrived at {when}.',
    mend: 'Upload the files of the deployed build. If you did, something rebuilt between upload and deploy.',
  },
  release_differs: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message: 'The event’s release {release} has no files. {found} was uploaded for {foundRelease}.',
    mend: 'Upload the build of {release}. If {foundRelease} is the same build, use exactly the same release name in the SDK and the upload.',
  },
  dist_differs: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message: 'The event has release {release}, dist {dist}. {found} was uploaded for dist {foundDist} of this release.',
    mend: 'Use the same dist in the SDK and the upload. A missing dist counts as a separate one.',
  },
  release_unknown: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message: 'Release {release}, dist {dist}, has no files.',
    mend: 'Upload the build of this release. If you did, check whether the upload names another release or dist.',
  },
  aged_out: {
    step: 'bundle',
    weight: 'wrong',
    command: 'upload',
    message:
      'Release {release} is older than {days} days and has no files. It never had any, or Mishap removed them because no event used them for that long.',
    mend: 'Upload its build again if people still use it.',
  },
  unfindable: {
    step: 'bundle',
    weight: 'wrong',
    command: 'inject',
    message:
      'Only events without a release find the uploaded {found}. It has no debug id, and its bundle names no release.',
    mend: 'Inject debug ids before the upload, or upload with --release.',
  },
  build_differs: {
    step: 'file',
    weight: 'wrong',
    command: 'upload',
    message:
      'Nothing was uploaded for {url}, but {found} was. Only a part of the name differs, such as the hash of a build.',
    mend: 'If it is the same file, upload the files of the deployed build. Do not rebuild between upload and deploy.',
  },
  url_differs: {
    step: 'file',
    weight: 'wrong',
    command: 'prefix',
    message:
      'The event needs {url}, which was not uploaded. The most similar uploaded file of this release is {found}.',
    mend: 'If it is the same file, upload it under the URL that browsers load it from. Or inject debug ids, which work without a URL.',
  },
  file_missing: {
    step: 'file',
    weight: 'wrong',
    command: 'upload',
    message: 'Files were uploaded for release {release}, but none for {url}.',
    mend: 'Check that the upload includes the folder of this file. Also check which URLs it gives the files.',
  },
  in_page: {
    step: 'file',
    weight: 'note',
    command: null,
    message: 'Nothing was uploaded for {url}, which looks like a page. A script inside HTML has no source map.',
    mend: 'A page needs no fix. If a script has such a URL, upload it under that URL.',
  },
  third_party: {
    step: 'file',
    weight: 'note',
    command: null,
    message: '{url} comes from another host than the uploaded files of this event. No similar file was uploaded.',
    mend: 'A third-party script needs no fix.',
  },
  file_gone: {
    step: 'file',
    weight: 'wrong',
    command: 'upload',
    message: 'The uploaded {found} cannot be read from the store.',
    mend: 'Upload it again. mishap verify shows what else is missing.',
  },
  map_missing: {
    step: 'map',
    weight: 'wrong',
    command: 'upload',
    message: 'The uploaded {found} names the map {map}, but no map was uploaded for that URL.',
    mend: 'Upload the folder with its .map files before anything deletes them.',
  },
  map_unnamed: {
    step: 'map',
    weight: 'wrong',
    command: 'inject',
    message: 'The uploaded {found} names no source map, and none was uploaded with its debug id.',
    mend: 'Let the bundler create source maps (sourcemap: true or hidden; devtool: source-map). Then inject and upload.',
  },
  map_broken: {
    step: 'map',
    weight: 'wrong',
    command: 'upload',
    message: 'The map {map} is not a valid source map.',
    mend: 'Check the file: it is often an error page or cut off. Build again and upload.',
  },
  map_inline_broken: {
    step: 'map',
    weight: 'wrong',
    command: 'upload',
    message: 'The map inside {found} (a data: URL) is not a valid source map.',
    mend: 'Let the bundler write the map to a separate file, then upload both.',
  },
  map_large: {
    step: 'map',
    weight: 'wrong',
    command: null,
    message: 'The map of {found} is too large: over 128 MiB, or over 160 MiB once read.',
    mend: 'Split the bundle into chunks, each with its own map.',
  },
  map_slow: {
    step: 'map',
    weight: 'wrong',
    command: null,
    message: 'Reading the map of {found} took longer than 15 s, so Mishap stopped it.',
    mend: 'Split the bundle into chunks, or give Mishap more CPU time. It retries after 10 minutes.',
  },
  map_pending: {
    step: 'map',
    weight: 'note',
    command: null,
    message: 'The map of {found} is still being read.',
    mend: 'Check again in a few seconds.',
  },
  position_beyond: {
    step: 'column',
    weight: 'wrong',
    command: 'upload',
    message:
      'The event points at line {line}, column {column} of {url}, but the uploaded file ends before. It is not the file that was loaded.',
    mend: 'Upload exactly the file that is served. Nothing may change it after the build: no proxy, no minifier, no banner.',
  },
  position_unmapped: {
    step: 'column',
    weight: 'wrong',
    command: 'inject',
    message:
      'The map of {found} has no entry for line {line}, column {column}. It belongs to another build, the file was changed later, or a tool generated this code.',
    mend: 'Create the map in the last step that changes the file, or chain the maps of all steps.',
  },
  source_missing: {
    step: 'source',
    weight: 'wrong',
    command: 'upload',
    message: 'The frame is mapped to {source}, but neither the map (sourcesContent) nor the upload contains its text.',
    mend: 'Let the bundler write sourcesContent. Or upload from a folder that has the sources: sentry-cli adds them.',
  },
  source_differs: {
    step: 'source',
    weight: 'wrong',
    command: 'upload',
    message: 'The frame is mapped to line {line} of {source}, but the uploaded text of this file ends before.',
    mend: 'Build and upload from the same version of the sources.',
  },
  came_later: {
    step: 'bundle',
    weight: 'note',
    command: null,
    message: 'The files are here now. They arrived at {when}, after the event.',
    mend: 'Nothing to do: Mishap reprocesses the events of the last 30 days within about a minute. If you upload before the deploy, even the first events are readable.',
  },
  read_later: {
    step: 'map',
    weight: 'note',
    command: null,
    message: 'The map is usable now. It was not usable when the event arrived ({reason}).',
    mend: 'Nothing to do: later events are mapped.',
  },
} as const satisfies Record<string, Entry>

export type DoctorCode = keyof typeof doctorFindings

const valueMax = 300
/** Replaces line ends, control characters and bidirectional marks in displayed names. */
const plain = (text: string): string => {
  const clean = text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu, '\ufffd')
  return clean.length <= valueMax ? clean : `${clean.slice(0, valueMax - 1).toWellFormed()}…`
}

/** Fills the `{values}` of a sentence. A missing value stays as its placeholder, which a test detects. */
const fillSentence = (text: string, data: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (match, name: string) => data[name] ?? match)

/**
 * Builds a finding with its sentences and command. `target` is the upload target of the command. `data` has the
 * unescaped, hostile values of the sentences.
 */
export function findingOf(
  code: DoctorCode,
  values: Readonly<Record<string, string>>,
  target: DoctorTarget,
  weight?: DoctorWeight,
): DoctorFinding {
  const finding: Entry = doctorFindings[code]
  const data = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, plain(value)]))
  return {
    code,
    step: finding.step,
    weight: weight ?? finding.weight,
    data,
    message: fillSentence(finding.message, data),
    mend: fillSentence(finding.mend, data),
    command: finding.command && commandOf(finding.command, target, values),
  }
}
