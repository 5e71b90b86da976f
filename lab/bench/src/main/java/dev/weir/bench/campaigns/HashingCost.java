package dev.weir.bench.campaigns;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

import dev.weir.bench.report.Table;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.kind.HashKind;

/**
 * The time that reading and hashing takes on one thread, with the kinds beyond those of Rspamd and without. Rounds with
 * each set of kinds alternate, and the median of the rounds counts.
 */
final class HashingCost {
    private static final int ROUNDS = 7;
    /** The most mails that are hashed in a round. */
    private static final int MOST_MAILS = 800;

    private final MailHasher hasher;
    private final List<byte[]> mails;

    HashingCost(Corpus corpus, MailHasher hasher) {
        this.hasher = hasher;
        int[] counted = corpus.counted().stream().toArray();
        int count = Math.min(MOST_MAILS, counted.length);
        mails = IntStream.range(0, count)
                .mapToObj(i -> corpus.mails().get(counted[(int) ((long) i * counted.length / count)]).content())
                .toList();
    }

    /** Returns a row for Rspamd's kinds, for each other kind in addition, and for all. */
    Table measure(HashRule rspamds) {
        List<HashRule> rules = new ArrayList<>(List.of(rspamds));
        List<String> names = new ArrayList<>(List.of("Rspamd's"));
        for (HashKind kind : HashKind.beyondRspamd()) {
            rules.add(rspamds.toBuilder().kinds(Set.of(kind)).build());
            names.add("and " + kind.optionName());
        }
        rules.add(rspamds.toBuilder().kinds(HashKind.beyondRspamd()).build());
        names.add("and all");
        long[][] times = new long[rules.size()][ROUNDS];
        for (int round = -1; round < ROUNDS; round++) {
            for (int i = 0; i < rules.size(); i++) {
                long time = time(rules.get(i));
                // The first round warms the compiler.
                if (round >= 0) {
                    times[i][round] = time;
                }
            }
        }
        Table table = new Table("kinds, of " + mails.size() + " mails", "time for a mail", "more, of Rspamd's");
        double base = median(times[0]);
        for (int i = 0; i < rules.size(); i++) {
            double median = median(times[i]);
            table.row(names.get(i), Table.time(Math.round(median / Math.max(1, mails.size()))),
                    i == 0 ? "" : String.format(Locale.ROOT, "%.2f", median / base - 1));
        }
        return table;
    }

    private static double median(long[] times) {
        long[] sorted = times.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private long time(HashRule rule) {
        long start = System.nanoTime();
        for (byte[] mail : mails) {
            try {
                hasher.hash(mail, rule);
            } catch (NotHashedException e) {
                // It costs as much in each round.
            }
        }
        return System.nanoTime() - start;
    }
}
