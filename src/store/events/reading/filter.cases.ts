import { beforeAll, describe, expect, test } from 'vitest'
import type { EventStore } from '../event-store.ts'
import { ids, row, tsv, wide } from '../events.cases.ts'
import type { EventFilter } from '../events.ts'
import type { FrameKey } from '../frames.ts'

/** Cases for the conditions of every events store. `open` returns a migrated, possibly used one. */
export function filterCases(open: () => EventStore): void {
  const rows = [
    row(5000, {
      message: 'Cannot read Properties of undefined',
      tags: { plan: 'team', 'a=b': 'c', size: '12.5' },
      traceId: 'ab'.repeat(16),
      frames: [
        'function=render',
        'filename=/a_b.js',
        'abs_path=https://a.example/a_b.js',
        'in_app=true',
        'in_app=false',
      ],
    }),
    row(5001, {
      message: '100% of C:\\temp_dir failed',
      tags: { a: 'b=c' },
      level: 'warning',
      release: 'web@2.0.0',
      digest: '77',
      frames: [
        'function=Cart.render',
        'module=shop.cart',
        'package=lib=filename=x',
        `function=${'x'.repeat(300)}`,
        'in_app=false',
      ],
    }),
    row(5002, {
      message: 'Größe überschritten: ÄRGER',
      tags: { plan: 'free', size: 'a*b', url: 'https://a.example/x?y=1' },
      transaction: '',
      frames: [],
    }),
  ].map((item) => ({ ...item, projectId: 51 }))
  const field = (
    name: 'level' | 'release' | 'message' | 'transaction' | 'trace_id' | 'event_id' | 'digest',
    match: 'is' | 'like' | 'has',
    value = '',
  ): EventFilter => ({ op: 'field', field: name, match, value })
  const tag = (key: string, match: 'is' | 'like' | 'has', value = ''): EventFilter => ({ op: 'tag', key, match, value })
  const frame = (key: FrameKey, match: 'is' | 'like' | 'has', value = ''): EventFilter => ({
    op: 'frame',
    key,
    match,
    value,
  })
  const text = (value: string): EventFilter => ({ op: 'text', value })

  const table: [name: string, filter: EventFilter, found: number[]][] = [
    ['a word, whatever its case', text('PROPERTIES'), [5000]],
    ['a word is whole', text('propert'), []],
    ['words in their order', text('of undefined'), [5000]],
    ['words in another order', text('undefined of'), []],
    ['a text without words', text('%'), [5001]],
    ['a path', text('C:\\temp_dir'), [5001]],
    ['words beyond ASCII', text('ärger'), [5002]],
    ['what looks like SQL', text(`') OR 1=1 --`), []],
    ['a tag', tag('plan', 'is', 'team'), [5000]],
    ['a tag and its equals sign', tag('a', 'is', 'b=c'), [5001]],
    ['a tag whose key has an equals sign', tag('a=b', 'is', 'c'), [5000]],
    ['a tag that is there', tag('plan', 'has'), [5000, 5002]],
    ['a tag with a wildcard', tag('url', 'like', 'HTTPS://*y=?'), []],
    ['a tag with two wildcards', tag('url', 'like', 'HTTPS://*.example*'), [5002]],
    ['percent is no wildcard', field('message', 'like', '100%*failed'), [5001]],
    ['percent stands for itself', field('message', 'like', '%'), []],
    ['underscore stands for itself', field('message', 'like', '*temp_dir*'), [5001]],
    ['backslash stands for itself', field('message', 'like', '*C:\\temp*'), [5001]],
    ['a level', field('level', 'is', 'warning'), [5001]],
    ['a release with a wildcard', field('release', 'like', 'web@1.*'), [5000, 5002]],
    ['a transaction that is there', field('transaction', 'has'), [5000, 5001]],
    ['a trace', field('trace_id', 'is', 'AB'.repeat(16)), [5000]],
    ['a trace that is there', field('trace_id', 'has'), [5000]],
    ['no trace id', field('trace_id', 'is', 'x'), []],
    ['an event id with dashes', field('event_id', 'is', '00000000-0000-0000-0000-000000001388'), [5000]],
    ['the start of an event id', field('event_id', 'like', '*1389'), [5001]],
    ['a digest', field('digest', 'is', '77'), [5001]],
    ['not', { op: 'not', of: field('level', 'is', 'warning') }, [5000, 5002]],
    ['not a list of words', { op: 'not', of: text('of undefined') }, [5001, 5002]],
    ['and', { op: 'and', of: [tag('plan', 'has'), { op: 'not', of: tag('plan', 'is', 'free') }] }, [5000]],
    ['or', { op: 'or', of: [text('properties'), field('level', 'is', 'warning')] }, [5000, 5001]],
    ['a tag as a number', { op: 'tagNumber', key: 'size', compare: '>', value: 12 }, [5000]],
    ['a tag as another number', { op: 'tagNumber', key: 'size', compare: '=', value: 12 }, []],
    [
      'a tag that is no number',
      { op: 'not', of: { op: 'tagNumber', key: 'size', compare: '>', value: 12 } },
      [5001, 5002],
    ],
    ['a star that stands for itself', tag('size', 'like', 'a\\**'), [5002]],
    ['a star that stands for itself, and nothing behind it', tag('size', 'like', 'a\\*'), []],
    ['an escaped backslash', field('message', 'like', '*C:\\\\temp*'), [5001]],
    ['a function of a frame', frame('function', 'is', 'render'), [5000]],
    ['a function in another case', frame('function', 'is', 'Render'), []],
    ['a function by its end, whatever its case', frame('function', 'like', '*RENDER'), [5000, 5001]],
    ['a function that is longer than what is kept', frame('function', 'is', 'x'.repeat(400)), [5001]],
    ['another key with the same value', frame('module', 'is', 'render'), []],
    ['a value that looks like another key', frame('filename', 'is', 'x'), []],
    ['a pattern stays within its key', frame('filename', 'like', '*x'), []],
    ['a value with an equals sign', frame('package', 'is', 'lib=filename=x'), [5001]],
    ['underscore of a file stands for itself', frame('filename', 'like', '/a_b*'), [5000]],
    ['underscore of a file is no other sign', frame('filename', 'like', '/a?b*'), []],
    ['an address', frame('abs_path', 'like', 'https://a.example/*'), [5000]],
    ['frames with a module', frame('module', 'has'), [5001]],
    ['no frame has a module', { op: 'not', of: frame('module', 'has') }, [5000, 5002]],
    ['no frame is this', { op: 'not', of: frame('function', 'is', 'render') }, [5001, 5002]],
    ['a frame of the application', frame('in_app', 'is', 'true'), [5000]],
    ['a frame of a library', frame('in_app', 'is', 'false'), [5000, 5001]],
    ['any frame', frame('in_app', 'has'), [5000, 5001]],
    ['some releases', { op: 'releases', values: ['web@2.0.0', 'none'] }, [5001]],
    ['no release', { op: 'releases', values: [] }, []],
    ['a project', { op: 'projects', ids: [51] }, [5000, 5001, 5002]],
    ['another project', { op: 'projects', ids: [7] }, []],
    ['a group', { op: 'groups', hashes: ['f000000000000001'] }, [5000, 5001, 5002]],
    ['no group', { op: 'groups', hashes: ['f000000000000002', 'none'] }, []],
    ['a stretch of time', { op: 'time', fromMs: 0, toMs: Number.MAX_SAFE_INTEGER / 1000 }, [5000, 5001, 5002]],
    ['a time that is over', { op: 'time', toMs: 1000 }, []],
    ['a time that comes', { op: 'time', fromMs: 4_000_000_000_000 }, []],
    ['and of nothing', { op: 'and', of: [] }, [5000, 5001, 5002]],
    ['or of nothing', { op: 'or', of: [] }, []],
  ]
  describe('filter', () => {
    beforeAll(() => open().insert('events', tsv(rows), 'filter'))

    test.each(table)('%s', async (_name, filter, found) => {
      const store = open()
      const met = await store.ofIssue({
        projectId: 51,
        hashes: ['f000000000000001'],
        scope: wide(51),
        filter,
        order: 'oldest',
        max: 9,
      })
      expect(ids(met)).toEqual(found)
      const over = await store.inScope({ scope: wide(51), filter, order: 'newest', max: 9 })
      expect(ids(over).toSorted()).toEqual(found)
    })

    test('events of a scope come newest first, page by page, whole', async () => {
      const store = open()
      const all = await store.inScope({ scope: wide(51), order: 'newest', max: 9 })
      const paged = await Promise.all(
        [0, 1, 2, 3].map((offset) => store.inScope({ scope: wide(51), order: 'newest', offset, max: 1 })),
      )
      expect(paged.flat()).toEqual(all)
      const [newest, , oldest] = all
      const at = { scope: wide(51), max: 9 }
      expect(newest && (await store.inScope({ ...at, order: 'newest', from: newest }))).toEqual(all.slice(1))
      expect(oldest && (await store.inScope({ ...at, order: 'oldest', from: oldest }))).toEqual(
        all.slice(0, 2).reverse(),
      )
      const hashes = ['f000000000000001']
      expect(all).toEqual(await store.ofIssue({ projectId: 51, hashes, order: 'newest', max: 9 }))
      expect(await store.inScope({ scope: { ...wide(51), projectIds: [] }, order: 'newest', max: 9 })).toEqual([])
    })

    test('values of tags and columns by their number, and by what they contain', async () => {
      const store = open()
      const values = (text: string) => store.tagValues(wide(51), 'plan', 9, text)
      expect(await values('')).toEqual(['free', 'team'].map((value) => ({ value, events: 1 })))
      expect(await values('TE')).toEqual([{ value: 'team', events: 1 }])
      expect(await values('%')).toEqual([])
      const releases = (text: string) => store.columnValues(wide(51), 'release', { text, max: 9 })
      expect((await releases('')).map((release) => release.events)).toEqual([2, 1])
      const functions = (text: string) => store.frameValues(wide(51), 'function', { text, max: 9 })
      expect(await functions('render')).toEqual(['Cart.render', 'render'].map((value) => ({ value, events: 1 })))
      expect((await functions('')).map((fn) => fn.value)).toEqual(['Cart.render', 'render', 'x'.repeat(300)])
      expect(await store.frameValues({ ...wide(51), projectIds: [] }, 'function', { text: '', max: 9 })).toEqual([])
      expect(await releases('2.0')).toEqual([{ value: 'web@2.0.0', events: 1 }])
    })
  })
}
