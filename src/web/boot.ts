/**
 * Runs inline before any chunk: keeps early errors for the reporter, and notes the controls that a person changes with what
 * they chose; when a script cannot be loaded and the page has not come alive after 1.5 s it reloads once, then says so. Small on purpose: it is in every page.
 */
export const BOOT = `(function(){window.mishap={};var b;function keep(x){var m=window.mishap;if(!m.report)(m.errors=m.errors||[]).push([x,'early'])}
addEventListener('error',function(e){var s=e.target;if(s===window)return keep(e.error||e.message);
if(s&&s.tagName==='SCRIPT'&&!window.mishap.hydrated&&!b)b=setTimeout(function(){if(window.mishap.hydrated)return;var k='boot-reloaded';try{if(!sessionStorage.getItem(k)){sessionStorage.setItem(k,'1');location.reload();return}sessionStorage.removeItem(k)}catch(_){}
var p=document.createElement('p');p.id='boot-error';p.className='offline';p.setAttribute('role','alert');p.textContent='Application error: a script could not be loaded. Check the connection and reload the page.';document.body.prepend(p)},1500)},true);
addEventListener('unhandledrejection',function(e){keep(e.reason)});
addEventListener('input',function(e){var m=window.mishap;if(!m.hydrated)(m.early=m.early||new Map).set(e.target,e.target.value)},true)})()`
