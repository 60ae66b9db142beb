// Shows the values under the pointer. The page says everything without it.
for (const chart of document.querySelectorAll('.chart')) {
  const plot = JSON.parse(chart.dataset.plot);
  const tip = document.createElement('div');
  tip.className = 'tip';
  chart.parentElement.append(tip);
  const cursor = chart.querySelector('.cursor');
  chart.addEventListener('pointermove', event => {
    const box = chart.getBoundingClientRect();
    const at = (event.clientX - box.left) * 640 / box.width;
    let x = null;
    const lines = [];
    for (const line of plot.lines) {
      let nearest = 0;
      line.x.forEach((place, i) => {
        if (Math.abs(place - at) < Math.abs(line.x[nearest] - at)) nearest = i;
      });
      if (Math.abs(line.x[nearest] - at) > 40) continue;
      x = line.x[nearest];
      lines.push(line.label + '  ' + line.y[nearest] + (plot.unit ? ' ' + plot.unit : ''));
    }
    tip.style.display = lines.length ? 'block' : 'none';
    if (!lines.length) return;
    tip.textContent = lines.join('\n');
    cursor.setAttribute('d', 'M' + x + ' 18V226');
    const frame = chart.parentElement.getBoundingClientRect(); // what the tip's place is relative to
    const left = event.clientX - frame.left;
    tip.style.left = (left > frame.width / 2 ? left - tip.offsetWidth - 12 : left + 16) + 'px';
    tip.style.top = (event.clientY - frame.top + 14) + 'px';
  });
  chart.addEventListener('pointerleave', () => {
    tip.style.display = 'none';
    cursor.setAttribute('d', '');
  });
}
