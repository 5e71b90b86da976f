package dev.weir.hash.kind;

import java.util.List;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.hash.effort.Effort;

/** Fuzz test of the kinds with arbitrary HTML, text and subjects: no exception escapes, and sizes are right. */
final class KindHasherFuzzTest {
    @FuzzTest(maxDuration = "20s")
    void hash(FuzzedDataProvider data) {
        String subject = data.consumeString(200);
        String visible = data.consumeString(2000);
        MailContent mail = new MailContent(List.of(data.consumeRemainingAsString()), visible, subject);
        int pictures = 0;
        for (KindHash hash : KindHasherTest.ALL.hash(mail, Effort.unlimited())) {
            pictures += hash.kind() == HashKind.PICTURE ? 1 : 0;
            if (hash.digest().length != 64 || hash.shingles().length != (hash.kind().near() ? 32 : 0)) {
                throw new AssertionError("malformed hash of kind " + hash.kind());
            }
        }
        if (pictures > PictureKind.MOST) {
            throw new AssertionError(pictures + " pictures");
        }
    }
}
