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
 */
record Corpus(List<StreamMail> mails, int spam, BitSet counted, Map<String, int[]> honest) {
    /** Reads the folders: spam that counts, further spam that is learned, and mails of honest senders. */
    static Corpus read(Path spam, List<Path> known, List<Path> ham) throws IOException {
        List<StreamMail> stream = new ArrayList<>(StreamMail.readAll(spam));
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
        Map<String, int[]> honest = new LinkedHashMap<>();
        for (Path folder : ham) {
            int first = mails.size();
            mails.addAll(StreamMail.readAll(folder));
            String name = String.valueOf(folder.getFileName());
            String unique = honest.containsKey(name) ? folder.toString() : name;
            honest.put(unique, IntStream.range(first, mails.size()).toArray());
        }
        return new Corpus(List.copyOf(mails), learned, counted, honest);
    }

    /** Returns how many mails of spam that counts satisfy a condition. */
    int found(IntPredicate hit) {
        return (int) counted.stream().filter(hit).count();
    }

    /** Returns how many mails of a folder of honest senders satisfy a condition. */
    int hit(String folder, IntPredicate hit) {
        return (int) IntStream.of(honest.getOrDefault(folder, new int[0])).filter(hit).count();
    }

    /** Returns the name of the file of a mail. */
    String name(int mail) {
        return String.valueOf(mails.get(mail).file().getFileName());
    }
}
