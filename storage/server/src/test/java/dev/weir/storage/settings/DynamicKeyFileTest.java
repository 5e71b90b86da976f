package dev.weir.storage.settings;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;

import dev.weir.storage.StorageException;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Operation;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ServerKey;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DynamicKeyFileTest {
    private static final KeyPair FIRST = KeyPair.generate(new SecureRandom());
    private static final KeyPair SECOND = KeyPair.generate(new SecureRandom());
    private static final KeyRules RULES = KeyRules.DEFAULT.withName("a \"customer\" \\ ü", "who@example.org")
            .withAllowed(Operation.READ, Operation.DELETE).withForbidden(FlagSet.of(1, -1))
            .withLimit(new RateLimit(100, 2.5))
            .withExpires(LocalDate.of(2099, 1, 31).atStartOfDay(ZoneId.systemDefault()).toInstant());

    @TempDir
    Path folder;

    private Path file = Path.of("");
    private DynamicKeyFile keys = new DynamicKeyFile(file);

    @BeforeEach
    void begin() throws Exception {
        file = Files.writeString(folder.resolve("keys"), "[]");
        keys = new DynamicKeyFile(file);
    }

    @Test
    void aKeyIsAddedChangedAndRemoved() throws Exception {
        keys.add(FIRST, RULES);
        keys.add(SECOND, KeyRules.DEFAULT);
        assertThat(keys.keys()).containsExactly(new ServerKey(FIRST, RULES), ServerKey.of(SECOND));
        assertThat(keys.change(FIRST.publicKey(), KeyRules.DEFAULT.withName("other", ""))).isTrue();
        assertThat(keys.keys().getFirst()).isEqualTo(new ServerKey(FIRST, KeyRules.DEFAULT.withName("other", "")));
        assertThat(keys.remove(FIRST.publicKey())).isTrue();
        assertThat(keys.keys()).containsExactly(ServerKey.of(SECOND));
        assertThat(Files.readString(file)).doesNotContain(Base32.encode(FIRST.secret().reveal()));
        assertThat(keys.remove(FIRST.publicKey())).isFalse();
        assertThat(keys.change(FIRST.publicKey(), RULES)).isFalse();
    }

    @Test
    void everythingElseStays() throws Exception {
        Files.writeString(file, """
                [ { keypair { pubkey = "broken"; note = "kept"; } },
                  %s,
                  { %s extensions { name = old; read_only = false; } } ]
                """.formatted(FIRST.toUcl().replaceFirst("keypair ", ""),
                SECOND.toUcl().replaceAll("(?s).*?\\{(.*)\\}.*", "$1")));
        assertThat(keys.keys()).extracting(ServerKey::pair).containsExactly(FIRST, SECOND);
        assertThat(keys.change(SECOND.publicKey(), RULES)).isTrue();
        assertThat(keys.keys()).containsExactly(ServerKey.of(FIRST), new ServerKey(SECOND, RULES));
        assertThat(Files.readString(file)).contains("\"broken\"", "\"kept\"").doesNotContain("read_only");
    }

    @Test
    void theModeOfTheFileAndALinkStay() throws Exception {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        new DynamicKeyFile(link).add(FIRST, RULES);
        assertThat(link).isSymbolicLink();
        assertThat(keys.keys()).hasSize(1);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-r-----");
    }

    @Test
    void aFailureNamesTheReasonAndLeavesTheFile() throws Exception {
        keys.add(FIRST, RULES);
        String before = Files.readString(file);
        Files.createDirectories(folder.resolve("keys.new").resolve("in the way"));
        assertThatThrownBy(() -> keys.add(SECOND, RULES)).isInstanceOf(StorageException.class)
                .hasMessageContaining("keys cannot be written: ").hasMessageNotContaining("privkey");
        assertThat(Files.readString(file)).isEqualTo(before);
        assertThat(new DynamicKeyFile(folder.resolve("none/keys")).obstacle()).hasValueSatisfying(
                why -> assertThat(why).contains("there is no "));
        Files.writeString(file, "{ keypair { } }");
        assertThatThrownBy(keys::keys).hasMessageContaining("expected an array of key pairs, but found a section");
        assertThatThrownBy(() -> keys.add(SECOND, RULES)).hasMessageContaining("expected an array");
        Files.writeString(file, "[ { ");
        assertThatThrownBy(() -> keys.remove(FIRST.publicKey())).isInstanceOf(StorageException.class)
                .hasMessageContaining(file + ":");
        assertThat(Files.readString(file)).isEqualTo("[ { ");
    }

    @Test
    void aNewFileIsForItsOwner() throws Exception {
        DynamicKeyFile none = new DynamicKeyFile(folder.resolve("none"));
        assertThat(none.isMissing()).isTrue();
        assertThat(none.obstacle()).isEmpty();
        none.begin();
        assertThat(none.keys()).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(none.path()))).isEqualTo("rw-------");
        none.add(FIRST, RULES);
        assertThatThrownBy(none::begin).isInstanceOf(StorageException.class).hasMessageContaining("cannot be created");
        assertThat(none.keys()).hasSize(1);
    }

    @Test
    void anEmptyListOfRightsMeansNone() throws Exception {
        keys.add(FIRST, KeyRules.DEFAULT.withAllowed());
        assertThat(keys.keys()).extracting(key -> key.rules().allowed()).isEqualTo(List.of(Set.of()));
    }
}
