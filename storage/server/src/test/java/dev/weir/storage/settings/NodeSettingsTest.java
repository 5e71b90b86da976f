package dev.weir.storage.settings;

import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.storage.replication.Feed;
import dev.weir.storage.replication.FollowerKey;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NodeSettingsTest {
    private static final KeyPair OWN = KeyPair.generate(new SecureRandom());
    private static final KeyPair OTHER = KeyPair.generate(new SecureRandom());
    private static final String KEY = "key = \"" + OTHER.publicKey().base32() + "\";";

    private final Problems problems = new Problems();

    private @Nullable ReplicationSettings read(String text, boolean confirmed) throws Exception {
        UclObject worker = (UclObject) Ucl.parse("test", "replication { " + OWN.toUcl() + text + " }",
                UclSettings.PLAIN).root();
        return new NodeSettings(Section.of(worker, "worker \"fuzzy\"", WorkerSettings.OPTIONS, problems), problems,
                new KeySettings(problems)).read(confirmed);
    }

    private ReplicationSettings sound(String text, boolean confirmed) throws Exception {
        ReplicationSettings settings = read(text, confirmed);
        assertThat(problems.all()).isEmpty();
        return Objects.requireNonNull(settings);
    }

    private void refused(String text, boolean confirmed, String reason) throws Exception {
        read(text, confirmed);
        assertThat(problems.all()).as(text)
                .anySatisfy(problem -> assertThat(problem.message()).contains(reason));
        assertThat(problems.hasErrors()).isTrue();
    }

    @Test
    void readsALeader() throws Exception {
        ReplicationSettings settings = sound("""
                bind_socket = "127.0.0.1"; confirmations = 1; confirm_timeout = 2s;
                follower "standby" { %s learns = true; max_log = 10mb; }
                """.formatted(KEY), true);
        assertThat(settings.binds()).singleElement().satisfies(bind -> assertThat(bind.getPort()).isEqualTo(11_336));
        assertThat(settings.followers()).containsExactly(
                new FollowerKey("standby", OTHER.publicKey(), Feed.WHOLE, true, 10 << 20));
        assertThat(settings.upstream()).isNull();
        assertThat(settings.needed()).isEqualTo(1);
        assertThat(settings.patience()).hasSeconds(2);
    }

    @Test
    void readsTheFlagsOfACustomer() throws Exception {
        ReplicationSettings settings = sound("""
                bind_socket = "[::1]:1234";
                follower "a" { %s flags { 11 = 1; 12 = 2; } min_weight = 5; origins = false; }
                """.formatted(KEY), false);
        assertThat(settings.followers().getFirst().feed()).isEqualTo(new Feed(Map.of(11, 1, 12, 2), 5L, false));
        settings = sound("bind_socket = \"[::1]:1234\"; follower \"a\" { %s flags = [3, 4]; }".formatted(KEY), false);
        assertThat(settings.followers().getFirst().feed()).isEqualTo(new Feed(Map.of(3, 3, 4, 4), null, true));
    }

    @Test
    void readsAFollower() throws Exception {
        ReplicationSettings settings = sound("""
                leader = "[2001:db8::1]:99"; leader_key = "%s"; learns = "refuse"; max_lag = 5min;
                """.formatted(OTHER.publicKey().base32()), false);
        assertThat(settings.upstream())
                .isEqualTo(new ReplicationSettings.Upstream("2001:db8::1", 99, OTHER.publicKey()));
        assertThat(settings.forwards()).isFalse();
        assertThat(settings.maxLag()).hasMinutes(5);
        assertThat(settings.toString()).doesNotContain(Base32.encode(OWN.secret().reveal()));
    }

    @Test
    void refusesWhatCannotWork() throws Exception {
        refused("leader = \"h:1\";", false, "leader_key is missing");
        refused("leader = \"h:99999\"; leader_key = \"" + OTHER.publicKey().base32() + "\";", false,
                "expected host:port");
        refused("leader = \"h\"; leader_key = \"abc\";", false, "52 characters");
        refused("leader_key = \"" + OTHER.publicKey().base32() + "\";", false, "there is no \"leader\"");
        refused("follower \"a\" { " + KEY + " }", false, "needs bind_socket");
        refused("bind_socket = \"127.0.0.1\";", false, "name the followers");
        refused("bind_socket = \"127.0.0.1\"; follower \"a b\" { " + KEY + " }", false, "needs a name");
        refused("bind_socket = \"127.0.0.1\"; follower \"a\" { learns = true; }", false, "needs key, the public key");
        refused("bind_socket = \"127.0.0.1\"; follower \"a\" { " + KEY + " flags { 1 = 2; 3 = 2; } }", false,
                "two flags become the same");
        refused("bind_socket = \"127.0.0.1\"; follower \"a\" { " + KEY + " flags = \"x\"; }", false,
                "expected numbers of flags");
        refused("bind_socket = \"127.0.0.1\"; follower \"a\" { " + KEY + " flags = [1]; learns = true; }", false,
                "cannot pass on updates");
        refused("bind_socket = \"127.0.0.1\"; follower \"a\" { " + KEY + " } follower \"b\" { " + KEY + " }", false,
                "share the name or key");
        refused("bind_socket = \"127.0.0.1\"; follower \"a\" { " + KEY + " origins = false; }", true,
                "only 0 followers get everything");
    }

    /** Of two followers, one may be promoted while the other one still confirms updates of the old leader. */
    @Test
    void warnsOfConfirmationsThatFenceNothing() throws Exception {
        String followers = "bind_socket = \"127.0.0.1\"; follower \"a\" { " + KEY + " } follower \"b\" { key = \""
                + KeyPair.generate(new SecureRandom()).publicKey().base32() + "\"; } ";
        assertThat(sound(followers, false).followers()).hasSize(2);
        assertThat(sound(followers + "confirmations = 2;", true).needed()).isEqualTo(2);
        assertThat(Objects.requireNonNull(read(followers, true)).needed()).isOne();
        assertThat(problems.hasErrors()).isFalse();
        assertThat(problems.warnings()).singleElement()
                .satisfies(problem -> assertThat(problem.message()).contains("2 followers get everything"));
    }

    @Test
    void replicatedNeedsOthers() throws Exception {
        UclObject worker = (UclObject) Ucl.parse("test", "acknowledge = \"replicated\";", UclSettings.PLAIN).root();
        assertThat(new NodeSettings(Section.of(worker, "worker \"fuzzy\"", WorkerSettings.OPTIONS, problems), problems,
                new KeySettings(problems)).read(true)).isNull();
        assertThat(problems.all()).extracting(Problem::message)
                .isEqualTo(List.of("\"acknowledge\" of worker \"fuzzy\": \"replicated\" needs replication { follower "
                        + "... { } }"));
    }
}
