// A state machine as a picture: in the middle the states from top to bottom with arrows to those that may follow, on the left where an error goes from each, on
// the right the bytes of the frame in each state, to scale, so that pieces that share space lie above each other.
#include <algorithm>
#include <cstdio>
#include <tuple>

#include "tools/explain/explain.h"

namespace meteor::explain {

namespace {

constexpr double BOX_LEFT = 250, BOX_WIDTH = 400, BOX_HEIGHT = 58, ROW = 92;
constexpr double LANES_LEFT = BOX_LEFT + BOX_WIDTH, LANE = 15;
constexpr double FRAME_LEFT = 770, FRAME_WIDTH = 400, WIDTH = 1210;
constexpr double TOP = 118, LEGEND_ROW = 22;
constexpr const char* COLOURS[] = {"#4c8dd6", "#e28743", "#5aa469", "#b565a7", "#c9a227", "#46a0a0", "#d1605e", "#7d7fc9", "#8c6d46", "#6b9e23"};
constexpr const char* INK = "#1f2933";
constexpr const char* FAINT = "#7b8794";
constexpr const char* RED = "#c0392b";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string out = text;
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out;
}

std::string cut(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  size_t end = most > 1 ? most - 1 : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

struct Style {
  double size = 13;
  const char* fill = INK;
  const char* weight = "normal";
  const char* anchor = "start";
  bool is_code = false;
};

class Picture {
 public:
  void text(double x, double y, std::string_view what, Style style) {
    out_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" font-size=\"" + number(style.size) + "\" fill=\"" + style.fill + "\" font-weight=\"" + style.weight + "\" text-anchor=\"" +
            style.anchor + "\"" + (style.is_code ? " class=\"code\"" : "") + ">" + escaped(what) + "</text>\n";
  }
  void box(double x, double y, double width, double height, double round, const std::string& fill, const char* stroke, std::string_view tip = "") {
    out_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" + number(height) + "\" rx=\"" + number(round) + "\" fill=\"" + fill +
            "\" stroke=\"" + stroke + "\"" + (tip.empty() ? "/>\n" : "><title>" + escaped(tip) + "</title></rect>\n");
  }
  void path(const std::string& along, const char* stroke, bool dashed, bool arrow) {
    out_ += "<path d=\"" + along + "\" fill=\"none\" stroke=\"" + stroke + "\" stroke-width=\"1.6\"" + (dashed ? " stroke-dasharray=\"5 4\"" : "") +
            (arrow ? std::string(" marker-end=\"url(#") + (stroke == RED ? "red" : "ink") + ")\"" : "") + "/>\n";
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Arrows that pass other states run in lanes beside them, short ones inside.
struct Jump {
  size_t from, to;
  size_t lane = 0;
  size_t first() const { return std::min(from, to); }
  size_t last() const { return std::max(from, to); }
};

class Drawing {
 public:
  explicit Drawing(const mir::FrameReport& report, double top) : report_(report), top_(top) {}

  double height() const { return TOP + ROW * double(report_.states.size() + 1) + LEGEND_ROW * double(report_.fields.size() + 3); }

  std::string draw() {
    title();
    arrows();
    for (size_t i = 0; i < report_.states.size(); ++i) {
      state(i);
      errors(i);
      strip(i);
    }
    end();
    legend();
    return picture_.take();
  }

 private:
  double y_of(size_t row) const { return top_ + TOP + ROW * double(row); }
  double middle_of(size_t row) const { return y_of(row) + BOX_HEIGHT / 2; }
  double x_of(uint64_t byte) const { return FRAME_LEFT + FRAME_WIDTH * double(byte) / double(std::max<uint64_t>(report_.size, 1)); }
  const char* colour_of(size_t field) const { return COLOURS[field % std::size(COLOURS)]; }

  void title() {
    picture_.text(24, top_ + 38, kind_text(report_.kind) + " " + report_.name + " -> " + report_.result, {20, INK, "bold"});
    std::string file = report_.file.substr(report_.file.rfind('/') + 1);
    picture_.text(24, top_ + 60, file + ":" + std::to_string(report_.line) + "   " + std::to_string(report_.states.size() - 1) + " suspensions", {13, FAINT});
    picture_.text(BOX_LEFT - 22, top_ + 96, "an error goes to", {13, FAINT, "bold", "end"});
    picture_.text(BOX_LEFT, top_ + 96, "states", {13, FAINT, "bold"});
    picture_.text(FRAME_LEFT, top_ + 96, "the frame, " + std::to_string(report_.size) + " bytes", {13, FAINT, "bold"});
    uint64_t step = 16;
    while (report_.size / step > 8) step *= 2;
    for (uint64_t at = 0; at <= report_.size; at += step) {
      picture_.text(x_of(at), top_ + 112, std::to_string(at), {10, FAINT, "normal", "middle"});
      std::string x = number(x_of(at));
      picture_.path("M" + x + " " + number(y_of(0)) + " V" + number(y_of(report_.states.size()) - ROW + BOX_HEIGHT), "#e4e7eb", false, false);
    }
  }

  void arrows() {
    std::vector<Jump> jumps;
    size_t end_row = report_.states.size();
    for (size_t i = 0; i < report_.states.size(); ++i) {
      std::vector<size_t> targets(report_.states[i].next.begin(), report_.states[i].next.end());
      if (report_.states[i].may_end) targets.push_back(end_row);
      for (size_t target : targets) {
        if (target == i + 1) picture_.path("M" + number(BOX_LEFT + BOX_WIDTH / 2) + " " + number(y_of(i) + BOX_HEIGHT) + " V" + number(y_of(target) - 7), INK, false, true);
        else jumps.push_back({i, target});
      }
    }
    std::ranges::sort(jumps, {}, [](const Jump& jump) { return std::tuple(jump.last() - jump.first(), jump.from, jump.to); });
    for (size_t i = 0; i < jumps.size(); ++i) {
      auto meets = [&](size_t lane) {
        for (size_t k = 0; k < i; ++k)
          if (jumps[k].lane == lane && jumps[k].first() < jumps[i].last() + 1 && jumps[i].first() < jumps[k].last() + 1) return true;
        return false;
      };
      while (meets(jumps[i].lane)) ++jumps[i].lane;
      jump(jumps[i], end_row);
    }
  }

  void jump(const Jump& jump, size_t end_row) {
    double x = std::min(LANES_LEFT + 20 + LANE * double(jump.lane), FRAME_LEFT - 14);
    double from = middle_of(jump.from) + 10, to = jump.to == end_row ? middle_of(jump.to) - BOX_HEIGHT / 2 + 17 : middle_of(jump.to) - 10;
    double right = jump.to == end_row ? BOX_LEFT + BOX_WIDTH / 2 + 44 : LANES_LEFT;
    double turn = to > from ? 8 : -8;
    picture_.path("M" + number(LANES_LEFT) + " " + number(from) + " H" + number(x - 8) + " Q" + number(x) + " " + number(from) + " " + number(x) + " " + number(from + turn) + " V" + number(to - turn) + " Q" +
                      number(x) + " " + number(to) + " " + number(x - 8) + " " + number(to) + " H" + number(right + 7),
                  INK, false, true);
  }

  void state(size_t i) {
    const mir::FrameState& state = report_.states[i];
    double y = y_of(i);
    picture_.box(BOX_LEFT, y, BOX_WIDTH, BOX_HEIGHT, 10, i == 0 ? "#eef4fb" : "#ffffff", INK);
    picture_.text(BOX_LEFT + 14, y + 23, (i == 0 ? "" : std::to_string(i) + "  ") + cut(state.what, 40), {14, INK, "bold"});
    picture_.text(BOX_LEFT + BOX_WIDTH - 14, y + 23, "line " + std::to_string(state.line), {12, FAINT, "normal", "end"});
    picture_.text(BOX_LEFT + 14, y + 44, cut(state.source, 50), {12, "#3e4c59", "normal", "start", true});
  }

  void errors(size_t i) {
    const mir::FrameState& state = report_.states[i];
    if (i == 0 || (state.on_error.empty() && !state.error_leaves)) return;
    std::vector<std::string> lines;
    for (const mir::ErrorStop& stop : state.on_error) lines.push_back((stop.caught.empty() ? "clean-up" : "catch " + stop.caught) + ", line " + std::to_string(stop.line));
    if (state.error_leaves) lines.emplace_back(lines.empty() ? "ends the function" : state.on_error.back().caught.empty() ? "then ends the function" : "else ends the function");
    double y = middle_of(i);
    picture_.path("M" + number(BOX_LEFT) + " " + number(y) + " H" + number(BOX_LEFT - 16), RED, true, true);
    double first = y - 7 * double(lines.size() - 1) + 4;
    for (size_t k = 0; k < lines.size(); ++k) picture_.text(BOX_LEFT - 26, first + 15 * double(k), cut(lines[k], 34), {12, RED, "normal", "end"});
  }

  void strip(size_t i) {
    double y = y_of(i) + 10, height = BOX_HEIGHT - 20;
    picture_.box(FRAME_LEFT, y, FRAME_WIDTH, height, 3, "#f5f7fa", "#cbd2d9");
    piece(y, height, 0, report_.header_size, "#9aa5b1", "header", "resume function, parent, state");
    for (size_t k = 0; k < report_.fields.size(); ++k) {
      const mir::FrameField& field = report_.fields[k];
      if (std::ranges::find(field.states, uint32_t(i)) == field.states.end()) continue;
      piece(y, height, field.offset, field.size, colour_of(k), field_text(field), field_text(field) + ": " + field.type + ", " + std::to_string(field.size) + " bytes at " + std::to_string(field.offset));
    }
  }

  void piece(double y, double height, uint64_t offset, uint64_t size, const char* colour, const std::string& label, const std::string& tip) {
    double left = x_of(offset), width = x_of(offset + size) - left;
    picture_.box(left, y, width, height, 2, colour, "#ffffff", tip);
    size_t room = static_cast<size_t>(width / 6.4);
    if (label.size() <= room || room >= 7) picture_.text(left + width / 2, y + height / 2 + 4, cut(label, room), {11, "#ffffff", "normal", "middle"});
  }

  void end() {
    size_t row = report_.states.size();
    double y = y_of(row), middle = BOX_LEFT + BOX_WIDTH / 2;
    picture_.box(middle - 44, y, 88, 34, 17, INK, INK);
    picture_.text(middle, y + 22, "end", {14, "#ffffff", "bold", "middle"});
    if (report_.result_size == 0) return;
    picture_.box(FRAME_LEFT, y, FRAME_WIDTH, 34, 3, "#f5f7fa", "#cbd2d9");
    piece(y, 34, 0, report_.header_size, "#9aa5b1", "header", "resume function, parent, state");
    piece(y, 34, report_.result_offset, report_.result_size, INK, "result", "result: " + report_.result);
  }

  void legend() {
    double y = y_of(report_.states.size()) + ROW + 6;
    picture_.text(24, y, "what is kept, and by which state", {13, FAINT, "bold"});
    for (size_t i = 0; i < report_.fields.size(); ++i) {
      const mir::FrameField& field = report_.fields[i];
      y += LEGEND_ROW;
      picture_.box(24, y - 11, 13, 13, 3, colour_of(i), "none");
      picture_.text(46, y, cut(field_text(field), 44), {13, INK, "bold"});
      picture_.text(380, y, cut(field.is_callee ? (field.boxed ? "a pointer, since it is recursive" : "lies inside this one") : field.type, 42), {12, "#3e4c59", "normal", "start", !field.is_callee});
      picture_.text(740, y, std::to_string(field.size) + " bytes at " + std::to_string(field.offset), {12, INK, "normal", "end"});
      std::string kept;
      for (uint32_t state : field.states) kept += (kept.empty() ? "" : ", ") + (state == 0 ? std::string("start") : std::to_string(state));
      picture_.text(FRAME_LEFT, y, "in " + cut(kept, 60), {12, FAINT});
    }
  }

  const mir::FrameReport& report_;
  double top_;
  Picture picture_;
};

constexpr const char* HEAD = R"(<defs>
<marker id="ink" viewBox="0 0 10 10" refX="2" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="#1f2933"/></marker>
<marker id="red" viewBox="0 0 10 10" refX="2" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="#c0392b"/></marker>
<style>text { font-family: "Inter", "Helvetica Neue", "DejaVu Sans", sans-serif } .code { font-family: "JetBrains Mono", "DejaVu Sans Mono", monospace }</style>
</defs>
)";

}  // namespace

std::string as_svg(const Reports& reports) {
  std::string body;
  double top = 0;
  for (const mir::FrameReport& report : reports) {
    Drawing drawing(report, top);
    body += drawing.draw();
    top += drawing.height();
  }
  std::string size = number(WIDTH) + "\" height=\"" + number(top);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " + number(WIDTH) + " " + number(top) + "\">\n" + HEAD + "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
         body + "</svg>\n";
}

}  // namespace meteor::explain
