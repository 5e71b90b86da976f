package dev.weir.hash;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

import dev.weir.hash.shingle.HashAlgorithm;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of small mails, one rule each, against the hashes that Rspamd 3.4 requested. */
final class MeasuredMailsTest {
    private final MailHasher hasher = MailHasher.standard();
    private final HashRule rule = HashRule.shipped().toBuilder().algorithm(HashAlgorithm.MUMHASH).build();

    @Test
    void matchesDigestAndShinglesOfEachMail() throws IOException {
        List<String> wrong = new ArrayList<>();
        JsonNode mails = read();
        for (JsonNode mail : mails) {
            List<String> shingles = new ArrayList<>();
            mail.get("shingles").forEach(shingle -> shingles.add(shingle.asString()));
            List<FuzzyHash> hashes = hasher.hash(
                    hasher.analyze(mail.get("mail").asString().getBytes(StandardCharsets.UTF_8)), rule, Skip.NOTHING);
            if (hashes.size() != 1
                    || !HexFormat.of().formatHex(hashes.get(0).digest()).equals(mail.get("digest").asString())
                    || !shingles(hashes.get(0)).equals(shingles)) {
                wrong.add(mail.get("about").asString());
            }
        }
        assertThat(mails.size()).isEqualTo(10);
        assertThat(wrong).isEmpty();
    }

    private static List<String> shingles(FuzzyHash hash) {
        List<String> shown = new ArrayList<>();
        for (long shingle : hash.shingles()) {
            shown.add(HexFormat.of().toHexDigits(shingle));
        }
        return shown;
    }

    private static JsonNode read() throws IOException {
        try (InputStream in = Objects
                .requireNonNull(MeasuredMailsTest.class.getResourceAsStream("measured-mails.json"))) {
            return JsonMapper.shared().readTree(in);
        }
    }
}
