package dev.weir.bench.speed;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Formatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** An SVG chart of replies per second over stored hashes, with logarithmic axes. */
public final class Picture {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 440;
    private static final int LEFT = 70;
    private static final int RIGHT = 190;
    private static final int TOP = 20;
    private static final int BOTTOM = 50;
    private static final double LEAST_RATE = 1_000;
    private static final double MOST_RATE = 1_000_000;
    private static final double LEAST_HASHES = 10_000;
    private static final double MOST_HASHES = 10_000_000;
    private static final int LABEL_HEIGHT = 14;
    private static final List<String> COLOURS = List.of("#1b6ca8", "#c8553d", "#588157", "#8e6c8a", "#b08900",
            "#2a9d8f",
            "#6d597a", "#bc4749", "#3d5a80", "#7f5539");

    private Picture() {}

    /** Returns the chart of these points. */
    public static String svg(List<Point> points) {
        Formatter out = new Formatter(new StringBuilder(), Locale.ROOT);
        out.format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                + "font-size=\"12\">%n", WIDTH, HEIGHT);
        out.format("<rect width=\"%d\" height=\"%d\" fill=\"white\"/>%n", WIDTH, HEIGHT);
        grid(out);
        List<Label> labels = new ArrayList<>();
        int colour = 0;
        for (Map.Entry<String, SortedMap<Long, Double>> line : lines(points).entrySet()) {
            labels.add(line(out, line.getKey(), line.getValue(), COLOURS.get(colour++ % COLOURS.size())));
        }
        labels(out, labels);
        return out.format("</svg>%n").toString();
    }

    private record Label(String text, double y, String colour) {}

    /** Rates by number of hashes. The line of an echo is level, because it has no hashes. */
    private static Map<String, SortedMap<Long, Double>> lines(List<Point> points) {
        Map<String, SortedMap<Long, Double>> lines = new LinkedHashMap<>();
        for (Point point : points) {
            String name = point.load().equals("-") ? point.server() : point.server() + ", " + point.load();
            lines.computeIfAbsent(name, _ -> new TreeMap<>()).put(point.hashes(), point.perSecond());
        }
        return lines;
    }

    private static void grid(Formatter out) {
        for (double rate = LEAST_RATE; rate <= MOST_RATE; rate *= 10) {
            out.format("<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>%n", LEFT, y(rate),
                    WIDTH - RIGHT, y(rate));
            out.format("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%,.0f</text>%n", LEFT - 6, y(rate) + 4, rate);
        }
        for (double hashes = LEAST_HASHES; hashes <= MOST_HASHES; hashes *= 10) {
            out.format("<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>%n", x(hashes), TOP,
                    x(hashes), HEIGHT - BOTTOM);
            out.format("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%,.0f</text>%n", x(hashes),
                    HEIGHT - BOTTOM + 18, hashes);
        }
        out.format("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">hashes stored</text>%n",
                (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
        out.format("<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">answers a second, one core"
                + "</text>%n", (TOP + HEIGHT - BOTTOM) / 2);
    }

    private static Label line(Formatter out, String name, SortedMap<Long, Double> rates, String colour) {
        StringBuilder path = new StringBuilder();
        rates.forEach((hashes, rate) -> {
            path.append(path.isEmpty() ? 'M' : 'L').append(tenths(x(hashes))).append(' ').append(tenths(y(rate)));
            out.format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n", x(hashes), y(rate), colour);
        });
        out.format("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>%n", path, colour);
        return new Label(name, y(List.copyOf(rates.values()).getLast()), colour);
    }

    /** Labels beside the ends of their lines, moved apart where they would overlap. */
    private static void labels(Formatter out, List<Label> labels) {
        double free = TOP;
        for (Label label : labels.stream().sorted(Comparator.comparingDouble(Label::y)).toList()) {
            double y = Math.max(free, label.y());
            out.format("<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text>%n", WIDTH - RIGHT + 12, y + 4,
                    label.colour(), label.text());
            free = y + LABEL_HEIGHT;
        }
    }

    private static double x(double hashes) {
        return LEFT + (WIDTH - LEFT - RIGHT) * decades(hashes, LEAST_HASHES, MOST_HASHES);
    }

    private static double y(double rate) {
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * decades(rate, LEAST_RATE, MOST_RATE);
    }

    private static double decades(double value, double least, double most) {
        return Math.log(Math.clamp(value, least, most) / least) / Math.log(most / least);
    }

    private static String tenths(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
