package dev.weir.bench.speed;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.weir.load.stream.StreamResult;

/** The collected rounds of a comparison. For one thread. */
public final class RoundTally {
    private final long hashes;
    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final List<Row> uncompared = new ArrayList<>();

    private static final class Row {
        final String server;
        final String load;
        final List<Double> rates = new ArrayList<>();
        final List<Double> ratios = new ArrayList<>();
        final List<Double> idle = new ArrayList<>();
        long sent;
        long wrong;
        long missing;

        Row(String server, String load) {
            this.server = server;
            this.load = load;
        }
    }

    /** Creates an empty collection for a population of this size. */
    public RoundTally(long hashes) {
        this.hashes = hashes;
    }

    /** Adds a result of the echo and returns its rate. */
    public double echo(Contender echo, Contender.Shown shown) {
        return add(row(echo.name(), "-"), shown);
    }

    /** Adds a result of a storage for the next {@link #compare}. */
    public void add(Contender storage, Case load, Contender.Shown shown) {
        Row row = row(storage.name(), load.name());
        add(row, shown);
        uncompared.add(row);
    }

    private static double add(Row row, Contender.Shown shown) {
        StreamResult result = shown.first();
        row.rates.add(result.rate());
        row.idle.add(shown.idle());
        row.sent += result.sent();
        row.wrong += result.wrong() + result.refused();
        row.missing += result.missing();
        return result.rate();
    }

    private Row row(String server, String load) {
        return rows.computeIfAbsent(server + "/" + load, _ -> new Row(server, load));
    }

    /** Compares the results added since the last call with the rate of the echo around them. */
    public void compare(double echo) {
        for (Row row : uncompared) {
            row.ratios.add(row.rates.getLast() / echo);
        }
        uncompared.clear();
    }

    /** Returns the medians. */
    public List<Point> points() {
        return rows.values().stream()
                .map(row -> new Point(row.server, row.load, hashes, median(row.rates), median(row.ratios), row.sent,
                        row.wrong, row.missing, median(row.idle)))
                .toList();
    }

    static double median(List<Double> values) {
        return part(values, 0.5);
    }

    /** Returns the value that a part of the others is below; 0 if there are none. */
    static double part(List<Double> values, double part) {
        return values.isEmpty() ? 0 : values.stream().sorted().toList().get((int) (values.size() * part));
    }

    /** Returns the distance between the quarter and three quarters of the sorted values. */
    static double middleHalf(List<Double> values) {
        return part(values, 0.75) - part(values, 0.25);
    }
}
