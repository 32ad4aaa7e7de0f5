/* How well a page can be read: faint text (contrast of WCAG 2) and text below `least` pixels, shadow roots included. */
(least) => {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const seen = new Map();
  // Any notation of a colour, as red, green, blue and alpha between 0 and 1.
  const parts = (colour) => {
    if (!seen.has(colour)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      seen.set(colour, [...pen.getImageData(0, 0, 1, 1).data].map((v) => v / 255));
    }
    return seen.get(colour);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const light = ([r, g, b]) => {
    const linear = [r, g, b].map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const parent = (element) => element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
  const chain = (element) => {
    const found = [];
    for (let e = element; e; e = parent(e)) found.push(e);
    return found;
  };
  const paper = (elements) => {
    const layers = [];
    for (const e of elements) {
      const style = getComputedStyle(e);
      if (style.backgroundImage !== "none") return null;
      const colour = parts(style.backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), parts("Canvas"));
  };
  const worst = [];
  const small = [];
  let texts = 0;
  const look = (element) => {
    const written = [...element.childNodes].filter((node) => node.nodeType === 3 && node.textContent.trim());
    const style = getComputedStyle(element);
    const drawn = getComputedStyle(element, "::before");
    const letters = written.length ? style : /^"\S/.test(drawn.content) ? drawn : null;
    if (letters && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest(".sr, .katex, math, sub, sup, style, script, title, desc") && element.getBoundingClientRect().width >= 3) {
      const on = element.ownerSVGElement ? Math.hypot(element.getScreenCTM().a, element.getScreenCTM().b) : 1;
      const size = parseFloat(letters.fontSize) * on;
      if (size < least) small.push(`${size} px “${(written[0]?.textContent ?? drawn.content).trim().slice(0, 40)}” in ${element.tagName}.${element.getAttribute("class")}`);
    }
    if (written.length && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest("svg, [aria-hidden=true], :disabled, .sr, .katex, [data-testid=stIconMaterial], [data-testid=stSliderThumbValue]")) {
      const box = element.getBoundingClientRect();
      const elements = chain(element);
      const back = box.width > 1 && box.height > 1 ? paper(elements) : null;
      if (back) {
        texts += 1;
        const opacity = elements.reduce((product, e) => product * Number(getComputedStyle(e).opacity), 1);
        const [r, g, b, a] = parts(style.color);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        const found = ratio(over([r, g, b, a * opacity], back), back);
        if (found < (large ? 3 : 4.5)) worst.push(`${found.toFixed(2)} “${written[0].textContent.trim().slice(0, 40)}” ${style.color} in ${element.tagName}.${element.className}`);
      }
    }
  };
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      look(element);
      if (element.shadowRoot) walk(element.shadowRoot);
    }
  };
  walk(document);
  return { texts, faint: worst, small };
}
