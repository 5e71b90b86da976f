package dev.weir.scan.score;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import dev.weir.hash.release.Release;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.reply.Reply;
import dev.weir.wire.reply.ReplyWriter;

/** Sample mails and answers for score tests. */
final class Sample {
    static final MailHasher HASHER = MailHasher.standard();
    private static final HashRule RULE = HashRule.builder().minBytes(10).minWidth(1).minHeight(1).build();
    private static final String WORDS = IntStream.range(0, 100)
            .mapToObj(i -> "word" + (char) ('a' + i % 26) + (char) ('a' + i / 26) + "xyz")
            .collect(Collectors.joining(" "));
    /** One white pixel. */
    private static final String PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
            + "AAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

    private Sample() {}

    static AnalyzedMail text() {
        return analyzed("Content-Type: text/plain\n\n" + WORDS + "\n");
    }

    static AnalyzedMail shortText() {
        return analyzed("Content-Type: text/plain\n\nBuy now and save a lot of money today\n");
    }

    static AnalyzedMail image(String text) {
        return analyzed("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
                + (text.isEmpty() ? "" : "--b\nContent-Type: text/plain\n\n" + text + "\n")
                + "--b\nContent-Type: image/png; name=a.png\nContent-Transfer-Encoding: base64\n\n" + PIXEL
                + "\n--b--\n");
    }

    static AnalyzedMail imageAndText() {
        return image(WORDS);
    }

    private static AnalyzedMail analyzed(String mail) {
        assert !mail.isEmpty() && Base64.getDecoder().decode(PIXEL).length > 60;
        return HASHER.analyze(("Subject: s\n" + mail).getBytes(StandardCharsets.UTF_8));
    }

    static List<FuzzyHash> hashes(AnalyzedMail mail) {
        return HASHER.hash(mail, RULE, Skip.NOTHING);
    }

    static FuzzyHash hash(AnalyzedMail mail, String type) {
        return hashes(mail).stream().filter(hash -> hash.kind().type().equals(type)).findFirst().orElseThrow();
    }

    /** Returns an answer. With a probability of 1, its digest is the queried one. */
    static Answer answer(FuzzyHash hash, int flag, int value, float probability, int... extras) {
        byte[] bytes = new byte[ReplyLayout.MULTI_FLAG.size()];
        byte[] found = hash.digest();
        if (probability < 1) {
            found[0] ^= 0x55;
        }
        ReplyWriter writer = new ReplyWriter().begin(ReplyLayout.MULTI_FLAG, 0, 1, bytes, 0)
                .result(value, flag, probability)
                .digest(found, 0)
                .time(1_700_000_000);
        for (int i = 0; i < extras.length; i += 2) {
            writer.extra(extras[i], extras[i + 1]);
        }
        writer.end();
        return new Answer(hash, 100, Reply.decode(bytes, 0, bytes.length).orElseThrow(), "127.0.0.1:11335");
    }

    static ScoreOptions options(Curve curve) {
        return new ScoreOptions("UNKNOWN", 20, Map.of(1L, new ScoreOptions.Mapping("DENIED", 20)), false, Set.of(),
                OptionalDouble.empty(), curve, 0.5, 1.0, 1.0, 0.3, Release.V4_1);
    }

    static SymbolTable table(double most) {
        return new SymbolTable(
                Map.of("DENIED", new SymbolTable.Symbol(12, "Denied fuzzy hash", "fuzzy"), "UNKNOWN",
                        new SymbolTable.Symbol(5, "", "fuzzy")),
                Map.of("fuzzy", new SymbolTable.Group(most > 0 ? OptionalDouble.of(most) : OptionalDouble.empty(),
                        OptionalDouble.empty())),
                0);
    }
}
