/**
 * Runs inline before any chunk. Collects early errors, the reporter's settings, and the values of controls changed
 * before hydration. If a script fails to load and the page has not hydrated 1.5 s later, it reloads once, then shows an
 * error. Without hydration it shows an error after 10 s in any case, because scripts can hang or fail before they
 * start. It reads the settings now, because the frame can break. Keep it small: it is part of every page.
 */
export const BOOT = `(function(){function meta(n){var e=document.querySelector('meta[name="mishap-'+n+'"]');return e?e.content:''}
window.mishap={dsn:meta('dsn'),version:meta('version'),mayTrace:meta('traces')==='yes'};var b;function keep(x){var m=window.mishap;if(!m.report)(m.errors=m.errors||[]).push([x,'early'])}
function say(t){if(window.mishap.hydrated||document.getElementById('boot-error'))return;var p=document.createElement('p');p.id='boot-error';p.className='offline';p.setAttribute('role','alert');p.textContent='Application error: '+t+' Check the connection and reload the page.';document.body.prepend(p)}
setTimeout(function(){say('the scripts of this page have not started.')},10000);
addEventListener('error',function(e){var s=e.target;if(s===window)return keep(e.error||e.message);
if(s&&s.tagName==='SCRIPT'&&!window.mishap.hydrated&&!b)b=setTimeout(function(){if(window.mishap.hydrated)return;var k='boot-reloaded';try{if(!sessionStorage.getItem(k)){sessionStorage.setItem(k,'1');location.reload();return}sessionStorage.removeItem(k)}catch(_){}
say('a script could not be loaded.')},1500)},true);
addEventListener('unhandledrejection',function(e){keep(e.reason)});
addEventListener('input',function(e){var m=window.mishap;if(!m.hydrated)(m.early=m.early||new Map).set(e.target,e.target.value)},true)})()`
