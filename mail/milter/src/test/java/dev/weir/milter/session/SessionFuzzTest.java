package dev.weir.milter.session;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.config.source.ConfigException;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.milter.protocol.CommandReader;
import dev.weir.milter.protocol.MilterAnswers;
import dev.weir.milter.protocol.MilterCommand;
import dev.weir.milter.protocol.MilterException;
import dev.weir.milter.settings.MilterConfigs;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.scan.ScanResult;

import static org.assertj.core.api.Assertions.assertThat;

/** Any packets in any order end without a defect, and give back all memory. */
final class SessionFuzzTest {
    private static final MilterSettings SETTINGS = settings();

    private static MilterSettings settings() {
        try {
            return MilterConfigs.parse("worker \"milter\" { max_message = 10000; }");
        } catch (ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    @FuzzTest
    void anyPackets(byte @NotNull [] bytes) throws IOException, HttpException, InterruptedException {
        BodyBudget budget = new BodyBudget(20_000);
        MailScan scan = new MailScan((mail, _) -> {
            assertThat(mail.length).isLessThanOrEqualTo(10_000);
            return CompletableFuture.completedFuture(
                    new ScanResult(List.of(), mail.length, List.of(), List.of(), List.of(), List.of(), false));
        });
        MilterCounters counters = new MilterCounters();
        MilterAnswers answers = new MilterAnswers();
        try (MilterSession session = new MilterSession(new MilterSession.Shared(scan, budget, counters), SETTINGS)) {
            session.take(new MilterCommand.Negotiate(6, -1, -1), SETTINGS, answers);
            CommandReader reader = new CommandReader(new ByteArrayInputStream(bytes),
                    new BodyBudget(1 << 30).share());
            Optional<MilterCommand> command = reader.next();
            while (command.isPresent() && session.take(command.get(), SETTINGS, answers)) {
                command = reader.next();
            }
        } catch (MilterException | EOFException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
        assertThat(budget.used()).isZero();
        assertThat(counters.of(Shortfall.DEFECT)).isZero();
    }
}
