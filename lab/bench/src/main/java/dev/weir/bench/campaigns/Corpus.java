package dev.weir.bench.campaigns;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The mails of a measurement, by number: first the spam in order of arrival, then the mails of honest senders.
 *
 * @param mails all mails
 * @param spam how many of them are spam
 * @param counted the numbers of the spam that counts; the rest is only learned
 * @param honest the numbers of the mails of each folder of honest senders
 * @param choosing the same for the folders on which thresholds are chosen; equal to {@code honest} if there are none
 */
record Corpus(List<StreamMail> mails, int spam, BitSet counted, Map<String, int[]> honest,
        Map<String, int[]> choosing) {
    /**
     * Reads the folders.
     *
     * @param spam spam that counts
     * @param known further spam that is learned
     * @param ham mails of honest senders
     * @param choosing mails of honest senders on which thresholds are chosen
     * @param first how many mails of the spam that counts, and of each folder of honest senders, to take
     */
    static Corpus read(Path spam, List<Path> known, List<Path> ham, List<Path> choosing, int first)
            throws IOException {
        List<StreamMail> stream = new ArrayList<>(StreamMail.readAll(spam).stream().limit(first).toList());
        Set<Path> files = new HashSet<>(stream.stream().map(StreamMail::file).toList());
        for (Path folder : known) {
            stream.addAll(StreamMail.readAll(folder));
        }
        List<StreamMail> mails = new ArrayList<>(StreamMail.inOrder(stream));
        BitSet counted = new BitSet();
        for (int i = 0; i < mails.size(); i++) {
            counted.set(i, files.contains(mails.get(i).file()));
        }
        int learned = mails.size();
        Map<String, int[]> honest = readAll(ham, mails, first);
        return new Corpus(mails, learned, counted, honest,
                choosing.isEmpty() ? honest : readAll(choosing, mails, first));
    }

    /** Appends the mails of some folders. Returns their numbers by the name of the folder. */
    private static Map<String, int[]> readAll(List<Path> folders, List<StreamMail> mails, int most)
            throws IOException {
        Map<String, int[]> numbers = new LinkedHashMap<>();
        for (Path folder : folders) {
            int first = mails.size();
            StreamMail.readAll(folder).stream().limit(most).forEach(mails::add);
            String name = String.valueOf(folder.getFileName());
            String unique = numbers.containsKey(name) ? folder.toString() : name;
            numbers.put(unique, IntStream.range(first, mails.size()).toArray());
        }
        return numbers;
    }

    /** Returns how many mails of spam that counts satisfy a condition. */
    int found(IntPredicate hit) {
        return (int) counted.stream().filter(hit).count();
    }

    /** Returns how many mails of a folder satisfy a condition. */
    static int hit(int[] folder, IntPredicate hit) {
        return (int) IntStream.of(folder).filter(hit).count();
    }

    /** Returns the name of the file of a mail. */
    String name(int mail) {
        return String.valueOf(mails.get(mail).file().getFileName());
    }
}
