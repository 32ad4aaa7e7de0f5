/* Plays at a speed until so many steps have been made, then pauses; measured where it happens. */
(view, [speed, steps]) => new Promise((done) => {
  const select = view.querySelector("select.speed");
  const button = view.querySelector(".control.primary");
  const at = () => Number(view.dataset.step);
  const places = () => [...view.querySelectorAll("[data-node]")].map((n) => n.getAttribute("transform")).join();
  select.value = speed;
  select.dispatchEvent(new Event("change"));
  const [first, begun, stood] = [at(), performance.now(), places()];
  let [leap, last] = [0, first];
  const pause = (rate) => {
    const pressed = performance.now();
    button.click();
    const paused = performance.now() - pressed;
    const [end, still] = [at(), places() === stood];
    // What one more step would have needed several times over.
    setTimeout(() => done({ rate, leap, paused, still, made: end - first, after: at() - end, playing: view.dataset.playing }), 200);
  };
  const look = () => {
    [leap, last] = [Math.max(leap, at() - last), at()];
    if (at() - first < steps && view.dataset.playing === "true") requestAnimationFrame(look);
    else pause((at() - first) / ((performance.now() - begun) / 1000));
  };
  button.click();
  requestAnimationFrame(look);
})
