package dev.weir.storage.log;

import java.time.Duration;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class ConsumerHealthTest {
    private static final ConsumerHealth.Words WORDS = new ConsumerHealth.Words("the mirror", "cannot be written",
            "can be written");

    private final LogFixture fixture = new LogFixture();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(ConsumerHealth.class);

    @BeforeEach
    void listen() {
        lines.start();
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(lines);
        logger.setLevel(null);
        logger.setAdditive(true);
    }

    private List<String> lines() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private ConsumerHealth health(UpdateLog log, long position) {
        return new ConsumerHealth(log, log.claim("mirror", LogClaim.Retention.MAY_LOSE, position), position, WORDS,
                fixture.clock::nanos);
    }

    /** The owner of a consumer may tell of a failure itself. The log still tells of its end. */
    @Test
    void theEndOfAFailureThatItsOwnerToldOfIsLogged() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 3, 1);
            ConsumerHealth health = health(log, 1);
            health.failsAsTold("away");
            assertThat(lines()).isEmpty();
            health.reached(3);
            health.works();
            assertThat(lines()).singleElement().asString().contains("can be written again");
        }
    }

    @Test
    void aFailingStateIsLoggedOnceAndThenOnceAMinute() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            fixture.write(log, 3, 1);
            ConsumerHealth health = health(log, 1);
            for (int second = 0; second < 120; second++) {
                health.failed("locked", null);
                fixture.clock.pass(1_000);
            }
            health.reached(3);
            health.works();
            assertThat(lines()).containsExactly(
                    "the mirror cannot be written; 2 updates wait in the log, checks and learns go on: locked",
                    "the mirror still cannot be written; 2 updates wait in 0 MiB of log: locked",
                    "the mirror can be written again; 0 updates wait in the log");
        }
    }

    /** As Redis that answers every other time. */
    @Test
    void aConsumerThatFailsInTurnsIsLoggedOnceAMinute() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            ConsumerHealth health = health(log, 0);
            for (int second = 0; second < 119; second += 2) {
                health.failed("away", null);
                fixture.clock.pass(1_000);
                health.works();
                fixture.clock.pass(1_000);
            }
            assertThat(lines()).hasSize(4);
            assertThat(health.failure()).isEmpty();
            assertThat(health.status(false).failure()).isEqualTo("away");
            assertThat(health.status(false).failureSeconds()).isEqualTo(2);
        }
    }

    @Test
    void theLagIsTheTimeSinceAConsumerHadEverything() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            ConsumerHealth health = health(log, 0);
            fixture.clock.pass(Duration.ofHours(1).toMillis());
            health.reached(0);
            fixture.clock.pass(2_000);
            fixture.write(log, 10, 1);
            assertThat(health.status(false)).isEqualTo(new ConsumerStatus("mirror", ConsumerStatus.State.RUNNING,
                    LogClaim.Retention.MAY_LOSE, 0, 10, 2, "", -1));
            // What is there now is what it must reach.
            health.reached(0);
            fixture.clock.pass(5_000);
            fixture.write(log, 20, 1);
            health.reached(10);
            assertThat(health.status(false).lagSeconds()).isEqualTo(5);
            health.reached(20);
            assertThat(health.status(false).lagSeconds()).isZero();
        }
    }

    @Test
    void aConsumerWithoutAPlaceBeginsAgainOrFails() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            ConsumerHealth health = health(log, -1);
            assertThat(health.status(false).state()).isEqualTo(ConsumerStatus.State.BEHIND);
            health.fails("locked");
            assertThat(health.status(false).state()).isEqualTo(ConsumerStatus.State.FAILING);
        }
    }

    @Test
    void aConsumerWhoseUpdatesAreGoneIsBehind() throws Exception {
        try (UpdateLog log = fixture.open(fixture.disk, LogFixture.SMALL_AND_OLD, 0)) {
            ConsumerHealth health = new ConsumerHealth(log,
                    log.claim("slave", LogClaim.Retention.upTo(0), 1), 1, WORDS, fixture.clock::nanos);
            fixture.write(log, 40, 1);
            assertThat(health.status(false).state()).isEqualTo(ConsumerStatus.State.RUNNING);
            LogFixture.release(log, 40);
            assertThat(health.status(false).state()).isEqualTo(ConsumerStatus.State.BEHIND);
            assertThat(health.status(true).state()).isEqualTo(ConsumerStatus.State.STOPPED);
        }
    }
}
