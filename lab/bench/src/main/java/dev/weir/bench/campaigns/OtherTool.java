package dev.weir.bench.campaigns;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.MailHasher;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.mime.PartKind;

/** Another program that compares mails or files. The real one does the work here. */
enum OtherTool {
    /** Context-triggered piecewise hashes of the HTML source; the score of a match is 1 to 100. */
    SSDEEP("ssdeep") {
        @Override
        void compare(Corpus corpus, Path scratch, Nearness near) throws IOException, InterruptedException {
            Path folder = sources(corpus, scratch);
            run(List.of("ssdeep", "-s", "-b", "-d", "-c", "-t", "1", "-r", folder.toString()), new byte[0], line -> {
                // "12","345",77
                String[] cells = line.replace("\"", "").split(",", -1);
                if (cells.length == 3) {
                    near.pair(Integer.parseInt(cells[0]), Integer.parseInt(cells[1]), Integer.parseInt(cells[2]));
                }
            });
        }
    },
    /** Locality-sensitive hashes of the HTML source; the distance of a match is 0 or more, and 0 is closest. */
    TLSH("TLSH") {
        @Override
        void compare(Corpus corpus, Path scratch, Nearness near) throws IOException, InterruptedException {
            Path folder = sources(corpus, scratch);
            run(List.of("tlsh_unittest", "-xref", "-r", folder.toString(), "-T", String.valueOf(FARTHEST)),
                    new byte[0], line -> {
                        String[] cells = line.split("\t", -1);
                        if (cells.length == 3) {
                            near.pair(number(cells[0]), number(cells[1]), -Integer.parseInt(cells[2].strip()));
                        }
                    });
        }
    },
    /** A digest of the text of the whole mail; equal or not. */
    PYZOR("pyzor") {
        @Override
        void compare(Corpus corpus, Path scratch, Nearness near) throws IOException, InterruptedException {
            Map<String, Integer> first = new HashMap<>();
            for (int from = 0; from < corpus.mails().size(); from += PYZOR_BATCH) {
                int to = Math.min(from + PYZOR_BATCH, corpus.mails().size());
                List<String> digests = pyzor(corpus, from, to, scratch);
                for (int mail = from; mail < to; mail++) {
                    String digest = digests.get(mail - from);
                    Integer known = digest.equals(DIGEST_OF_NOTHING) ? null : first.putIfAbsent(digest, mail);
                    if (known != null) {
                        near.pair(mail, known, 1);
                    }
                }
            }
        }
    };

    /** The greatest distance of TLSH that is asked for. */
    private static final int FARTHEST = 150;
    private static final int PYZOR_BATCH = 200;
    /** What pyzor prints for a mail of which it reads no text. */
    private static final String DIGEST_OF_NOTHING = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

    private final String title;

    OtherTool(String title) {
        this.title = title;
    }

    /** Records the closeness of all pairs that the program finds. */
    abstract void compare(Corpus corpus, Path scratch, Nearness near) throws IOException, InterruptedException;

    /** Returns the name that its authors use. */
    String title() {
        return title;
    }

    /** Returns the least closeness that makes sense. */
    int least() {
        return this == TLSH ? -FARTHEST : 1;
    }

    /** Returns the tool with a threshold in words. */
    String at(int closeness) {
        return switch (this) {
            case SSDEEP -> title + " from " + closeness;
            case TLSH -> title + " up to " + -closeness;
            case PYZOR -> title;
        };
    }

    /** Writes the HTML of each mail, or its plain text, into a file that has the number of the mail as its name. */
    private static Path sources(Corpus corpus, Path scratch) throws IOException {
        Path folder = scratch.resolve("sources");
        if (Files.isDirectory(folder)) {
            return folder;
        }
        Files.createDirectory(folder);
        MailHasher reader = MailHasher.standard();
        for (int number = 0; number < corpus.mails().size(); number++) {
            AnalyzedMail mail;
            try {
                mail = reader.analyze(corpus.mails().get(number).content());
            } catch (NotHashedException e) {
                continue;
            }
            List<MimePart> texts = mail.parts().stream().filter(part -> part.kind() == PartKind.TEXT).toList();
            boolean html = texts.stream().anyMatch(MimePart::isHtml);
            try (OutputStream out = Files.newOutputStream(folder.resolve(String.valueOf(number)))) {
                for (MimePart part : texts) {
                    byte[] utf8 = part.utf8();
                    if (part.isHtml() == html) {
                        out.write(utf8 == null ? part.body() : utf8);
                    }
                }
            }
        }
        return folder;
    }

    private static int number(String file) {
        return Integer.parseInt(file.substring(file.lastIndexOf('/') + 1));
    }

    /** Returns the digests of some mails. It asks for many at once, because each start of pyzor takes long. */
    private static List<String> pyzor(Corpus corpus, int from, int to, Path scratch)
            throws IOException, InterruptedException {
        ByteArrayOutputStream mbox = new ByteArrayOutputStream();
        for (int i = from; i < to; i++) {
            mbox.writeBytes("From a@b Thu Jan  1 00:00:00 2026\n".getBytes(StandardCharsets.US_ASCII));
            mbox.writeBytes(quoted(corpus.mails().get(i).content()));
            mbox.writeBytes("\n\n".getBytes(StandardCharsets.US_ASCII));
        }
        List<String> digests = new ArrayList<>();
        int status = run(List.of("pyzor", "--homedir", scratch.toString(), "-s", "mbox", "digest"),
                mbox.toByteArray(), line -> digests.add(line.strip()));
        if (status == 0 && digests.size() == to - from) {
            return digests;
        }
        if (to - from == 1) {
            // It fails for mails with a charset or a structure that Python rejects.
            return List.of(DIGEST_OF_NOTHING);
        }
        int middle = (from + to) / 2;
        return Stream.concat(pyzor(corpus, from, middle, scratch).stream(),
                pyzor(corpus, middle, to, scratch).stream()).toList();
    }

    /** Marks lines that would begin another mail in an mbox. */
    private static byte[] quoted(byte[] mail) {
        return new String(mail, StandardCharsets.ISO_8859_1).replaceAll("(?m)^From ", ">From ")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static int run(List<String> command, byte[] input, Consumer<String> lines)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        Thread writer = Thread.ofVirtual().start(() -> {
            try (OutputStream out = process.getOutputStream()) {
                out.write(input);
            } catch (IOException e) {
                // It ended before it read everything: its status tells.
            }
        });
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.accept(line);
            }
        }
        writer.join();
        return process.waitFor();
    }
}
