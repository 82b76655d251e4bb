// Draws every figure of the page; nothing is fetched from anywhere.
for (const plot of document.querySelectorAll(".plot")) {
  const source = plot.querySelector("script");
  const spec = JSON.parse(source.textContent);
  const live = document.createElement("div");
  plot.append(live);
  if (spec.layer || spec.mark) Object.assign(spec, { width: "container", autosize: { type: "fit", contains: "padding" } });
  vegaEmbed(live, spec, { actions: { export: true, source: false, compiled: false, editor: false }, renderer: "svg" })
    .catch((error) => { live.textContent = "This figure could not be drawn: " + error; });
}
