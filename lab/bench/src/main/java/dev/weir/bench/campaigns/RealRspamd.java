package dev.weir.bench.campaigns;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import dev.weir.bench.hashing.Oracle;
import dev.weir.bench.hashing.Reference;
import dev.weir.bench.hashing.ReferenceMail;
import dev.weir.model.Digest;

/** The hashes that the real Rspamd 4.1.6 sends for the mails of a corpus. */
final class RealRspamd {
    private RealRspamd() {}

    /**
     * Records the nearness by the hashes of Rspamd.
     *
     * @param oracle the program that runs it, see {@link Oracle}
     * @throws IOException if it fails
     */
    static Nearness near(Corpus corpus, Path oracle, boolean html, Path scratch)
            throws IOException, InterruptedException {
        Path folder = Files.createDirectory(scratch.resolve("mails"));
        for (int i = 0; i < corpus.mails().size(); i++) {
            Files.write(folder.resolve(i + ".eml"), corpus.mails().get(i).content());
        }
        Path recording = scratch.resolve("recording.json");
        List<String> options = new ArrayList<>(List.of("--version", "4"));
        if (html) {
            options.add("--html");
        }
        Oracle.run(oracle, folder, recording, "mumhash", options);
        Map<Integer, List<ReferenceMail.Hash>> hashes = new HashMap<>();
        Reference.read(recording, mail -> {
            String name = mail.name().substring(mail.name().lastIndexOf('/') + 1);
            hashes.put(Integer.valueOf(name.substring(0, name.length() - ".eml".length())), mail.hashes());
        });
        Nearness near = new Nearness(corpus);
        Memory memory = new Memory();
        for (int mail = 0; mail < corpus.mails().size(); mail++) {
            List<ReferenceMail.Hash> own = hashes.getOrDefault(mail, List.of());
            for (ReferenceMail.Hash hash : own) {
                Memory.Nearest found = memory.nearest(digest(hash), shingles(hash), learned -> true);
                if (found.mail() >= 0) {
                    near.pair(mail, found.mail(), found.agreement());
                }
            }
            if (mail < corpus.spam()) {
                for (ReferenceMail.Hash hash : own) {
                    memory.learn(digest(hash), shingles(hash), mail);
                }
            }
        }
        return near;
    }

    private static Digest digest(ReferenceMail.Hash hash) {
        return Digest.of(HexFormat.of().parseHex(hash.digest()));
    }

    private static long[] shingles(ReferenceMail.Hash hash) {
        return hash.shingles().stream().mapToLong(HexFormat::fromHexDigitsToLong).toArray();
    }
}
