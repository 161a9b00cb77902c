import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { list, parseTree, type Tree } from './scopes.cases.ts'
import { functionsOf } from './scopes.ts'

const named = (code: string) =>
  functionsOf(code).map((fn) => (fn.isConstructor ? 'new ' : '') + fn.name.map((p) => p.text).join('.'))

describe('functionsOf: names', () => {
  test.each<[string, string[]]>([
    ['function add(a,b){return a+b}', ['add']],
    ['async function*walk(){}', ['walk']],
    ['var f=function(){},g=()=>1,h=async x=>x', ['f', 'g', 'h']],
    ['a.b.c=function(){}', ['a.b.c']],
    ['A.prototype.run=function run2(){}', ['run2']],
    ['exports.x=e=>{}', ['exports.x']],
    [
      'var o={a:function(){},b(){},"c d":()=>1,get e(){return 1},async*f(){},[g](){}}',
      ['o.a', 'o.b', 'o.c d', 'o.e', 'o.f', 'o'],
    ],
    ['o={in:{ner:function(){}}}', ['o.in.ner']],
    [
      'class A{constructor(){}b(){}static c(){}#d(){}get e(){return 1}f=()=>1;static async g(){}}',
      ['new A', 'A.b', 'A.c', 'A.#d', 'A.e', 'A.f', 'A.g'],
    ],
    ['var B=class extends C{m(){}}', ['B.m']],
    ['x=class{constructor(){}}', ['new x']],
    ['(function(){})();[1].map(e=>e)', ['', '']],
    ['call(function(){},()=>{})', ['', '']],
    ['a||=function(){};b??=()=>1', ['a', 'b']],
    ['let f=a=>b=>c', ['f', '']],
    ['var{a=()=>1}=b', ['a']],
    ['x=c?function(){}:()=>2', ['', '']],
    ['export default{data(){return 1},methods:{go(){}}}', ['data', 'methods.go']],
    ['x.function=1;x.class.y=()=>1', ['x.class.y']],
  ])('%s', (code, want) => {
    expect(named(code)).toEqual(want)
  })
})

describe('functionsOf: where regular expressions, templates and blocks could be taken for something else', () => {
  test.each<[string, number]>([
    ['a=b/c;function f(){}/}/.test(x)', 1],
    ['if(x)/[/"{]+/.test(y);function f(){}', 1],
    ['(a+b)/2;function f(){}/2', 1],
    ['x=`${a?`${()=>{}}`:"}"}`;function f(){}', 2],
    ['return_=1;r=/=>{/g;s=x=>/}/.test(x)', 1],
    ['l:{if(a)for(;b;)switch(c){case d:{while(e){}}}}', 0],
    ['// function a(){}\n/* ()=>{} */"function(){}";\'()=>{}\'', 0],
    ['#!/usr/bin/env node\nfunction f(){}', 1],
    ['x={with(e){},catch(e){},if(a){}}', 3],
    ['a=b\n++c\n/d/g.test(()=>1)', 1],
    ['1..toFixed();1e-5.x;0xe+1;f=()=>.5', 1],
    ['const a = x => x\nconst b = 1', 1],
    ['function f({a}={},[b]=[]){return{a,b}}', 1],
  ])('%s', (code, count) => {
    expect(functionsOf(code)).toHaveLength(count)
  })

  test.each<[string, string[]]>([
    ['a=x=>x+1,b', ['x=>x+1']],
    ['a=c?x=>x?1:2:3', ['x=>x?1:2']],
    ['const a = x => x\nconst b = 1', ['x => x']],
    ['f(x=>`a${x}b`,y)', ['x=>`a${x}b`']],
    ['a=async(b)=>({c:b});d', ['async(b)=>({c:b})']],
    ['x={async m(){},get n(){return 1}}', ['async m(){}', 'get n(){return 1}']],
  ])('%s: from its first word to its end', (code, want) => {
    expect(functionsOf(code).map(({ start, end }) => code.slice(start, end))).toEqual(want)
  })

  test.each([
    '{',
    '}',
    ')',
    'function',
    'function(',
    '=>',
    'a=>',
    '`${',
    '"',
    '/',
    'class',
    'class{',
    'x={a(',
    'x=>{',
    '(=>1',
    '\\',
    '#',
    '}`',
  ])('what ends early or is no script gives what can be read: %s', (code) => {
    expect(() => functionsOf(`${code}`)).not.toThrow()
    expect(() => functionsOf(`function ok(){}${code}`)).not.toThrow()
  })
})

/** The functions according to a full parser. Methods start at their key. */
function parsed(code: string): string[] {
  const out: string[] = []
  const visit = (node: Tree, parent: Tree | undefined) => {
    const isMethod =
      parent?.type === 'MethodDefinition' ||
      (parent?.type === 'Property' && (parent.method === true || parent.kind !== 'init'))
    if (/^(?:Function|ArrowFunction)/.test(node.type))
      out.push(`${isMethod && parent ? parent.start : node.start}-${node.end}`)
    for (const child of list(node)) visit(child, node)
  }
  visit(parseTree(code), undefined)
  return out.sort()
}

// Minified by several tools, and some unminified.
const modules = `${import.meta.dirname}/../../../node_modules`
const files = [
  'react-dom/cjs/react-dom-client.production.js',
  'zod/v4/core/schemas.js',
  'hono/dist/hono-base.js',
  'kysely/dist/parser/parse-utils.js',
  'bowser/es5.js',
  'esbuild/lib/main.js',
  'axe-core/axe.min.js',
  'nodemailer/lib/mailer/index.js',
]

describe('functionsOf finds the functions that a full parser finds', () => {
  test.each(files.filter((file) => existsSync(`${modules}/${file}`)))('%s', (file) => {
    const code = readFileSync(`${modules}/${file}`, 'utf8')
    const got = functionsOf(code).map(({ start, end }) => `${start}-${end}`)
    expect(got.sort()).toEqual(parsed(code))
  })
})
