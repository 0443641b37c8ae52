// Puts a fault on the page, as a page could have it; one at a time.
// Arguments: which, and what is called when it stands there.
const [fault, done] = arguments;
document.getElementById('fault')?.remove();
const MADE = {
  faint: '<p style="color: rgb(128 128 128); background: rgb(110 110 110)">A text to read</p>',
  clear: '<p style="color: black; background: white"><span style="opacity: 0.3">A text to read</span></p>',
  veil: '<p style="background: black"><span style="color: rgb(128 128 128); background: rgb(128 128 128 / 0.8)">A text to read</span></p>',
  under: `<div style="position: relative; background: white"><div style="position: absolute; inset: 0; background: rgb(110 110 110)"></div>
    <p style="position: relative; color: rgb(80 80 80)">A text to read</p></div>`,
  field: '<p><input aria-label="A field" value="A text to read" style="color: rgb(128 128 128); background: rgb(110 110 110)"></p>',
  small: `<p style="display: flex"><button type="button" style="all: unset; width: 12px; height: 12px; overflow: hidden">a</button>
    <button type="button" style="all: unset; width: 12px; height: 12px; overflow: hidden">b</button></p>`,
  beside: `<p style="display: flex"><button type="button" style="all: unset; width: 30px; height: 30px">a</button>
    <button type="button" style="all: unset; width: 30px; height: 30px; margin-left: -20px">b</button></p>`,
  image: '<p><img src="/icon.svg"></p>',
  link: `<p style="color: rgb(90 90 90); background: white">A text with
    <a href="/" style="color: rgb(80 80 80); text-decoration: none">a link</a> in it</p>`,
};
const place = document.createElement('div');
place.id = 'fault';
place.innerHTML = MADE[fault];
// The page lets no style in that stands in markup.
for (const each of place.querySelectorAll('[style]')) each.style.cssText = each.getAttribute('style');
document.querySelector('main').prepend(place);
requestAnimationFrame(() => done(true));
