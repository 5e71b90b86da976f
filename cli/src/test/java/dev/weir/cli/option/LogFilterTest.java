package dev.weir.cli.option;

import java.net.InetAddress;
import java.time.Instant;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class LogFilterTest {
    private static final Instant TIME = Instant.parse("2026-07-31T16:30:00Z");

    private static boolean matches(UpdateOrigin origin, String... options) {
        LogFilter filter = CommandLine.populateCommand(new LogFilter(), options);
        return filter.filter().matches(new LoggedUpdate(1, TIME.toEpochMilli(), origin,
                new Update.Write(Digest.read(new byte[Digest.BYTES], 0), 1, 5, TIME.getEpochSecond(), null)));
    }

    private static UpdateOrigin origin(String address, @Nullable String client) {
        return new UpdateOrigin(InetAddress.ofLiteral(address), 4_711, 0, null,
                client == null ? null : new UpdateSubmitter(client, "password", "alice", "a@b"));
    }

    @ParameterizedTest
    @CsvSource({"2026-07-31T16:29:59Z, false", "2026-07-31T16:30:00Z, false", "2026-07-31T16:30:01Z, true",
        "2026-07-31T18:30:01+02:00, true"})
    void untilLeavesOutChangesFromThisTimeOn(String until, boolean matches) {
        assertThat(matches(origin("192.0.2.1", null), "--until", until)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({"2026-07-31T16:29:59Z, true", "2026-07-31T16:30:00Z, true", "2026-07-31T16:30:01Z, false"})
    void sinceLeavesOutChangesBeforeThisTime(String since, boolean matches) {
        assertThat(matches(origin("192.0.2.1", null), "--since", since)).isEqualTo(matches);
    }

    @Test
    void sinceAndUntilLimitAPeriod() {
        UpdateOrigin origin = origin("192.0.2.1", null);
        assertThat(matches(origin, "--since", "2026-07-31T16:30Z", "--until", "2026-07-31T16:31Z")).isTrue();
        assertThat(matches(origin, "--since", "2026-07-31T16:29Z", "--until", "2026-07-31T16:30Z")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.1, true", "192.0.2.0/24, true", "192.0.2.2, false", "198.51.100.0/24, false",
        "2001:db8::/32, false"})
    void fromFindsTheSender(String network, boolean matches) {
        assertThat(matches(origin("192.0.2.1", null), "--from", network)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({"2001:db8::7, true", "2001:db8::/32, true", "127.0.0.1, true", "2001:db8:1::/48, false"})
    void fromFindsTheHttpClientThatSubmittedAMail(String network, boolean matches) {
        assertThat(matches(origin("127.0.0.1", "2001:db8::7"), "--from", network)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({"''", "a Unix-domain socket", "localhost"})
    void fromFindsNoClientWithoutAnAddress(String client) {
        assertThat(matches(origin("127.0.0.1", client), "--from", "192.0.2.0/24")).isFalse();
        assertThat(matches(origin("127.0.0.1", client), "--from", "127.0.0.0/8")).isTrue();
    }

    @Test
    void fromFindsNoChangeOfTheStorage() {
        assertThat(matches(UpdateOrigin.STORAGE, "--from", "0.0.0.0/0")).isFalse();
        assertThat(matches(UpdateOrigin.STORAGE)).isTrue();
    }
}
