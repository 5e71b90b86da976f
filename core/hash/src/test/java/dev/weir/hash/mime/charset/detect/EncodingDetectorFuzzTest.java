package dev.weir.hash.mime.charset.detect;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Fuzz test of the detector: any bytes have an answer. */
final class EncodingDetectorFuzzTest {
    @FuzzTest(maxDuration = "10s")
    void detect(byte[] text) {
        if (EncodingDetector.detect(text).isEmpty()) {
            throw new AssertionError("no answer");
        }
    }
}
