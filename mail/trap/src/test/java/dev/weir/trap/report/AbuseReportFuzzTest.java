package dev.weir.trap.report;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;

import static org.assertj.core.api.Assertions.assertThat;

/** Any bytes are a report or none, and the attached mails are no larger than the report. */
final class AbuseReportFuzzTest {
    @FuzzTest
    void anyBytes(byte @NotNull [] bytes) {
        AbuseReport report = AbuseReport.read(bytes);
        assertThat(report.mails()).allSatisfy(mail -> assertThat(mail.length).isBetween(1, bytes.length));
        if (!report.isReport()) {
            assertThat(report.mails()).isEmpty();
            assertThat(report.vote()).isEmpty();
        }
    }
}
