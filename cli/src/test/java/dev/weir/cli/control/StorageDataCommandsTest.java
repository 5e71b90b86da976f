package dev.weir.cli.control;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.cli.Run;
import dev.weir.cli.demo.Samples;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.http.control.ControlSocket;
import dev.weir.http.control.StorageCommands;
import dev.weir.model.Network;
import dev.weir.storage.DataFolder;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.brake.MassRemoval;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the commands that show and change what the page does, with a storage and its control socket. */
@Timeout(120)
class StorageDataCommandsTest {
    private static final Pattern DIGEST = Pattern.compile("(?m)^[0-9a-f]{128}$");
    private static final Pattern UNDO_ID = Pattern.compile("weir undo --mail (undo-\\S+)");
    private static final String HTML = """
            From: a@example.org\r
            Message-ID: <page@example.org>\r
            Subject: offer\r
            Content-Type: text/html; charset=utf-8\r
            \r
            <html><body><div><p>%s</p><a href="http://a.example/x">here</a>\
            <a href="http://c.example/z">there</a><img src="http://b.example/y.png">\
            <table>%s</table></div></body></html>\r
            """.formatted("our shop sells the very best watches of the world for little money today ".repeat(12),
            "<tr><td><b>one</b></td><td><i>two</i></td></tr>".repeat(20));

    @TempDir
    Path folder;

    private StorageServer server = new StorageServer(StorageConfig.of(Path.of("unused")));
    private final List<AutoCloseable> open = new ArrayList<>();
    private String address = "";
    private Path spam = Path.of("");
    private Path changed = Path.of("");

    @BeforeEach
    void start() throws Exception {
        StorageConfig config = StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback());
        server = new StorageServer(config);
        open.add(server);
        address = "127.0.0.1:" + server.start().getPort();
        ControlSocket socket = ControlSocket.bind(
                new Bind.Unix(folder.resolve("data").resolve(DataFolder.CONTROL_SOCKET), Bind.Unix.OWN_USER));
        open.add(socket);
        socket.serve(StorageCommands.of(server, config, Setup.NONE,
                () -> new StorageCommands.Reloaded(false, List.of("not in this test"))));
        Samples.Campaign campaign = Samples.campaigns().getFirst();
        spam = Files.write(folder.resolve("spam.eml"), campaign.mail());
        changed = Files.write(folder.resolve("changed.eml"), campaign.copies().getFirst().mail());
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private void learn(Object... arguments) {
        List<String> words = new ArrayList<>(List.of("learn", "--server", address));
        for (Object argument : arguments) {
            words.add(argument.toString());
        }
        Run run = Run.weir(words.toArray(String[]::new));
        assertThat(run.status()).as(run.err()).isEqualTo(ExitCode.OK);
    }

    private Run ask(String command, Object... arguments) {
        List<String> words = new ArrayList<>(List.of(command));
        for (Object argument : arguments) {
            words.add(argument.toString());
        }
        words.add("--data");
        words.add(folder.resolve("data").toString());
        return Run.weir(words.toArray(String[]::new));
    }

    private static String digest(Run find) {
        Matcher matcher = DIGEST.matcher(find.out());
        assertThat(matcher.find()).as(find.out()).isTrue();
        return matcher.group();
    }

    private static String id(Run undo) {
        Matcher matcher = UNDO_ID.matcher(undo.out());
        assertThat(matcher.find()).as(undo.out() + undo.err()).isTrue();
        return matcher.group(1);
    }

    @Test
    void confirmsExactlyTheRemovalThatWaits() {
        assertThat(ask("control", "confirm").out()).isEqualTo("no removal waits\n");
        MassRemoval removal = new MassRemoval("copy", "leader 1", "the leader lacks them", 2_000, 3_000);
        assertThat(server.brake().mayRemove(removal)).isFalse();
        String id = server.brake().waiting().getFirst().id();
        assertThat(ask("control", "status").out())
                .contains("trouble: a removal of many hashes waits for an operator: " + id
                        + " would remove 2000 of 3000");
        Run list = ask("control", "confirm", "--list");
        assertThat(list.out()).isEqualTo("waits: " + id + " removes 2000 of 3000 hashes: the leader lacks them\n");
        assertThat(server.brake().mayRemove(removal)).isFalse();
        Run other = ask("control", "confirm", "copy-1");
        assertThat(other.status()).isEqualTo(ExitCode.REFUSED);
        assertThat(other.err()).contains("no removal waits under the name \"copy-1\"");
        assertThat(ask("control", "confirm").out()).startsWith("confirmed: " + id + " removes 2000 of 3000 hashes");
        assertThat(server.brake().mayRemove(removal)).isTrue();
        assertThat(server.brake().mayRemove(removal)).isFalse();
    }

    @Test
    void findsAMailADigestAndTheOptionOfASymbol() {
        Run nothing = ask("find", spam);
        assertThat(nothing.status()).as(nothing.err()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(nothing.out()).contains("nothing is stored, and the audit trail has nothing");
        learn("-f", 3, "-w", 7, spam);
        Run mail = ask("find", spam);
        assertThat(mail.status()).as(mail.err()).isEqualTo(ExitCode.OK);
        assertThat(mail.out()).contains("flag 3: 7, since ", "add flag 3 weight 7 from 127.0.0.1", "revision ");
        String digest = digest(mail);
        assertThat(ask("find", changed).out())
                .containsPattern("matches " + digest + ", \\d\\d of 32 shingles are equal");
        assertThat(ask("find", digest.substring(0, 10)).out()).contains(digest);
        assertThat(ask("find", "3:" + digest.substring(0, 10) + ":0.94:txt").out()).contains(digest);
        assertThat(ask("find", "nobody@example.org").status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(ask("find", "0000").out()).isEqualTo("nothing is stored, and the audit trail has nothing\n");
        JsonNode json = JsonMapper.shared().readTree(ask("find", "--json", digest).out());
        assertThat(json.path("hashes").path(0).path("digest").asString("")).isEqualTo(digest);
    }

    @Test
    void aDryRunChangesNothingAndAnUndoIsUndone() {
        learn("-f", 3, "-w", 7, spam);
        Run dry = ask("undo", "--dry-run", "--from", "127.0.0.1");
        assertThat(dry.status()).as(dry.err()).isEqualTo(ExitCode.OK);
        assertThat(dry.out()).startsWith("would change: 1 hash; 1 flag removed").contains("flag 3: 7 -> removed");
        assertThat(ask("find", spam).out()).contains("flag 3: 7");
        Run done = ask("undo", "--from", "127.0.0.1");
        assertThat(done.status()).as(done.err()).isEqualTo(ExitCode.OK);
        assertThat(ask("find", spam).out()).contains("not stored");
        assertThat(ask("undo", "--from", "127.0.0.1", "--until", "2020-01-01").status())
                .isEqualTo(ExitCode.NO_MATCH);
        Run again = ask("undo", "--mail", id(done));
        assertThat(again.status()).as(again.err()).isEqualTo(ExitCode.OK);
        assertThat(ask("find", spam).out()).contains("flag 3: 7");
    }

    @Test
    void saysWhichMailsItKnowsByTheirMessageId() {
        learn("-f", 3, "-w", 7, spam);
        Run find = ask("find", "nobody@example.org");
        assertThat(find.status()).as(find.err()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(find.out()).contains("only mails that were learned over HTTP or by a trap", "weir find FILE");
        for (List<String> options : List.of(List.<String>of(), List.of("--dry-run"))) {
            List<Object> arguments = new ArrayList<>(List.of("--mail", "nobody@example.org"));
            arguments.addAll(options);
            Run undo = ask("undo", arguments.toArray());
            assertThat(undo.status()).as(undo.err()).isEqualTo(ExitCode.NO_MATCH);
            assertThat(undo.out()).contains("only mails that were learned over HTTP or by a trap", "weir undo DIGEST");
        }
        assertThat(ask("undo", "--json", "--mail", "nobody@example.org").out()).hasLineCount(1);
        assertThat(ask("undo", "--user", "nobody").out()).hasLineCount(1);
    }

    @Test
    void undoesTheChangesOfDigestsWithABeginning() throws Exception {
        learn("-f", 3, "-w", 7, spam);
        Path other = Files.write(folder.resolve("other.eml"), Samples.campaigns().get(1).mail());
        learn("-f", 3, "-w", 7, other);
        String digest = digest(ask("find", spam));
        Run undo = ask("undo", "--digest", digest.substring(0, 12).toUpperCase(Locale.ROOT));
        assertThat(undo.status()).as(undo.err()).isEqualTo(ExitCode.OK);
        assertThat(undo.out()).startsWith("changed: 1 hash; 1 flag removed").contains(digest);
        assertThat(ask("find", spam).out()).contains("not stored");
        assertThat(ask("find", other).out()).contains("flag 3: 7");
    }

    @Test
    void undoesOneListOnly() {
        learn("-f", 200, "-w", 7, spam);
        learn("-f", 44, "-w", 5, spam);
        // 300 is 44 in its lowest byte.
        Run other = ask("undo", "--from", "127.0.0.1", "--flag", 300);
        assertThat(other.status()).as(other.err()).isEqualTo(ExitCode.NO_MATCH);
        Run undo = ask("undo", "--from", "127.0.0.1", "--flag", 200);
        assertThat(undo.out()).contains("flag 200: 7 -> removed").doesNotContain("flag 44");
        assertThat(ask("find", spam).out()).contains("flag 44: 5").doesNotContain("flag 200: 7");
        ask("undo", "--mail", id(undo));
        assertThat(ask("find", spam).out()).contains("flag 200: 7");
    }

    @Test
    void undoesTheHashOfTheHtmlBesideThatOfItsWords() throws Exception {
        Path page = Files.writeString(folder.resolve("page.eml"), HTML);
        learn("-f", 5, "-w", 4, "--html", page);
        Run found = ask("find", "--html", page);
        assertThat(DIGEST.matcher(found.out()).results().distinct().count()).as(found.out()).isEqualTo(2);
        Run undo = ask("undo", "--from", "127.0.0.1");
        assertThat(undo.out()).startsWith("changed: 2 hashes; 2 flags removed");
        assertThat(ask("find", "--html", page).out()).doesNotContain("flag 5: 4");
        ask("undo", "--mail", id(undo));
        assertThat(ask("find", "--html", page).out().split("flag 5: 4", -1)).hasSize(3);
    }

    @Test
    void removesManyWholeHashes() {
        learn("-f", 3, "-w", 7, spam);
        String digest = digest(ask("find", spam));
        List<Object> digests = new ArrayList<>(List.of(digest));
        for (int i = 0; i < 399; i++) {
            digests.add("%04x".formatted(i).repeat(32));
        }
        Run undo = ask("undo", digests.toArray());
        assertThat(undo.status()).as(undo.err()).isEqualTo(ExitCode.OK);
        assertThat(undo.out()).contains("1 hash; 1 flag removed", "nothing left to reverse for 399");
        digests.add(digest);
        assertThat(ask("undo", digests.toArray()).status()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void saysWhatIsWrong() {
        Run all = ask("undo");
        assertThat(all.status()).isEqualTo(ExitCode.USAGE);
        assertThat(all.err()).contains("say what to undo");
        assertThat(ask("undo", "abcd").err()).contains("128 hexadecimal digits");
        assertThat(ask("undo", "--digest", "abc").status()).isEqualTo(ExitCode.USAGE);
        Run missing = ask("find", folder.resolve("missing.eml"));
        assertThat(missing.status()).isEqualTo(ExitCode.INPUT);
        assertThat(missing.err()).isEqualTo("weir: " + folder.resolve("missing.eml") + ": there is no such file\n");
        assertThat(ask("find", "missing.eml").err()).contains("there is no such file");
        assertThat(ask("find", folder).err()).contains("is a folder");
        assertThat(ask("find", "abc").status()).isEqualTo(ExitCode.NO_MATCH);
        Run unanswered = Run.weir("top", "--once", "--data", folder.resolve("nowhere").toString());
        assertThat(unanswered.status()).isEqualTo(ExitCode.NO_ANSWER);
    }

    @Test
    void topShowsFiguresAndTheHashesThatMatch() throws Exception {
        learn("-f", 3, "-w", 7, spam);
        assertThat(ask("top", "--once").out()).contains("checks ", "hashes 1 ", "healthy", "no hash matched lately");
        String digest = digest(ask("find", spam));
        Run.weir("check", "--server", address, spam.toString());
        // Hits are collected once a second.
        Run top = ask("top", "--once", "--day");
        while (top.out().contains("no hash matched lately")) {
            top = ask("top", "--once", "--day");
        }
        assertThat(top.out()).contains(digest.substring(0, 20) + "  3:7  127.0.0.1");
        String[] json = ask("top", "--json").out().split("\n", -1);
        assertThat(JsonMapper.shared().readTree(json[0]).path("hashes").asLong(0)).isEqualTo(1);
        assertThat(JsonMapper.shared().readTree(json[1]).path("families").path(0).path("digest").asString(""))
                .isEqualTo(digest);
    }

    @Test
    void theSkipListIsEditedWithReasonsAndEnds() {
        learn("-f", 3, "-w", 7, spam);
        String digest = digest(ask("find", spam));
        assertThat(ask("skips", "list").status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(ask("skips", "add", digest).err()).contains("--reason");
        Run added = ask("skips", "add", digest, "--reason", "a footer & more", "--days", 3);
        assertThat(added.status()).as(added.err()).isEqualTo(ExitCode.OK);
        assertThat(added.out()).isEqualTo(digest + "  3 days left  a footer & more\n");
        assertThat(Run.weir("check", "--server", address, spam.toString()).status()).isEqualTo(ExitCode.NO_MATCH);
        long end = end();
        assertThat(ask("skips", "change", digest, "--reason", "the footer").out()).contains("3 days left  the footer");
        assertThat(end()).as("an end that is not given stays").isEqualTo(end);
        assertThat(ask("skips", "change", digest, "--days", 0).out()).contains("no end  the footer");
        Run list = ask("skips", "list");
        assertThat(list.status()).isEqualTo(ExitCode.OK);
        assertThat(list.out()).contains(digest + "  no end  the footer", "1 skipped digest");
        assertThat(ask("find", digest).out()).contains("; on the skip list");
        assertThat(ask("skips", "remove", digest).out()).isEqualTo("removed " + digest + "\n");
        assertThat(Run.weir("check", "--server", address, spam.toString()).status()).isEqualTo(ExitCode.OK);
        Run again = ask("skips", "remove", digest);
        assertThat(again.status()).isEqualTo(ExitCode.REFUSED);
        assertThat(again.err()).contains("the digest is not on the skip list");
        assertThat(ask("skips", "change", digest, "--days", 1).status()).isEqualTo(ExitCode.REFUSED);
    }

    private long end() {
        return JsonMapper.shared().readTree(ask("skips", "list", "--json").out()).path(0).path("end").asLong(0);
    }

    @Test
    void aBlockedNetworkIsListedWithItsTimeAndUnblocked() {
        assertThat(ask("blocked", "list").status()).isEqualTo(ExitCode.NO_MATCH);
        Network network = Network.of("192.0.2.0/24");
        server.gate().blocks().block(network, Instant.now().plusSeconds(3600), 403);
        server.gate().blocks().block(Network.of("127.0.0.1"), null, 403);
        assertThat(Run.weir("check", "--server", address, spam.toString()).status()).isNotEqualTo(ExitCode.OK);
        Run list = ask("blocked", "list");
        assertThat(list.status()).as(list.err()).isEqualTo(ExitCode.OK);
        assertThat(list.out()).contains("192.0.2.0/24  60 min left  ", "127.0.0.1/32  no end  ", "2 refused networks");
        assertThat(JsonMapper.shared().readTree(ask("blocked", "list", "--json").out())).hasSize(2);
        assertThat(ask("blocked", "remove", "192.0.2.0/24").out()).isEqualTo("unblocked 192.0.2.0/24\n");
        Run again = ask("blocked", "remove", "192.0.2.0/24");
        assertThat(again.status()).isEqualTo(ExitCode.REFUSED);
        assertThat(again.err()).contains("192.0.2.0/24 is not blocked");
        assertThat(ask("blocked", "remove", "127.0.0.1/32").status()).isEqualTo(ExitCode.OK);
        learn("-f", 3, "-w", 7, spam);
        assertThat(ask("blocked", "remove", "nobody").err()).contains("an address or a network");
    }

    @Test
    void theHistoryIsShown() {
        Run empty = ask("top", "--history", "quarter");
        assertThat(empty.status()).as(empty.err()).isEqualTo(ExitCode.OK);
        assertThat(empty.out()).contains("checks/s", "the first one comes after 7200 seconds");
        JsonNode json = JsonMapper.shared().readTree(ask("top", "--history", "hour", "--json").out());
        assertThat(json.path("step").asLong(0)).isEqualTo(10);
        assertThat(ask("top", "--history", "year").status()).isEqualTo(ExitCode.USAGE);
    }
}
