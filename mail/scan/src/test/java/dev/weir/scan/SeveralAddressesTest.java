package dev.weir.scan;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.MailHasher;
import dev.weir.scan.rule.TestSettings;
import dev.weir.scan.upstream.Resolver;
import dev.weir.testkit.FreePort;
import dev.weir.testkit.ScriptedStorage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** One name with three addresses, as a record of DNS gives them: a silent one costs a moment and no answer. */
final class SeveralAddressesTest {
    private static final Duration A_MOMENT = Duration.ofSeconds(3);

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final int port;

    SeveralAddressesTest() throws Exception {
        port = FreePort.find();
    }

    private static InetAddress address(int last) {
        return InetAddress.ofLiteral("127.0.0." + last);
    }

    private ScriptedStorage storage(int last) throws Exception {
        ScriptedStorage storage = ScriptedStorage.start(address(last), port);
        opened.add(storage);
        return storage;
    }

    private FuzzyCheck client() throws Exception {
        FuzzyCheck check = FuzzyCheck.open(TestSettings.of("fuzzy_check { timeout = 5s; rule { servers = \"pool.test:"
                + port + "\"; hits_limit = 20 } }"), MailHasher.standard(),
                FuzzyCheckOptions.DEFAULT.withResolver(new Resolver() {
                    @Override
                    public List<InetAddress> addresses(String host) {
                        return List.of(address(2), address(3), address(4));
                    }

                    @Override
                    public List<Location> services(String service, String domain) {
                        return List.of();
                    }
                }));
        opened.add(check);
        return check;
    }

    private static void checkAll(FuzzyCheck check, int from, int to) {
        for (int i = from; i < to; i++) {
            long begun = System.nanoTime();
            assertThat(check.check(TestMail.text(i), ScanContext.NONE).join().complete()).as("mail %d", i).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).as("mail %d", i).isLessThan(A_MOMENT);
        }
    }

    @Test
    void aSilentAddressIsLeftForTheNextOne() throws Exception {
        try (DatagramSocket silent = new DatagramSocket(port, address(2))) {
            ScriptedStorage second = storage(3);
            ScriptedStorage third = storage(4);
            FuzzyCheck check = client();
            checkAll(check, 0, 20);
            assertThat(silent.isBound()).isTrue();
            assertThat(second.questions()).as("mails after the first one go there at once").isPositive();
            second.script = _ -> false;
            checkAll(check, 20, 40);
            assertThat(third.questions()).isPositive();
            // The first one is silent still: the second one has another chance.
            second.script = _ -> true;
            third.script = _ -> false;
            checkAll(check, 40, 60);
        } finally {
            close();
        }
    }

    @Test
    void anAddressWhereNothingListensIsLeft() throws Exception {
        try {
            ScriptedStorage third = storage(4);
            checkAll(client(), 0, 20);
            assertThat(third.questions()).isPositive();
        } finally {
            close();
        }
    }

    /** The same update at two addresses would count at both. */
    @Test
    void anUpdateStaysAtItsAddress() throws Exception {
        try {
            ScriptedStorage first = storage(2);
            ScriptedStorage second = storage(3);
            first.script = command -> first.commands.size() > 3;
            FuzzyCheck check = client();
            check.learn(TestMail.text(1), LearnRequest.add(1, 20)).join();
            assertThat(second.values).isEmpty();
        } finally {
            close();
        }
    }

    private void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }
}
