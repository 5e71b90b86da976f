package dev.weir.hash.shingle;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import com.dynatrace.hash4j.hashing.Hashing;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of hash functions, keys, shingles and digests against every value of Rspamd's vectors. */
final class HashVectorsTest {
    private static final HexFormat HEX = HexFormat.of();
    private final JsonNode vectors = read("hashes.json");

    private static JsonNode read(String name) {
        try (InputStream in = Objects.requireNonNull(HashVectorsTest.class.getResourceAsStream(name))) {
            return JsonMapper.shared().readTree(in);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static long number(JsonNode hex) {
        return Long.parseUnsignedLong(hex.asString(), 16);
    }

    private static byte[] bytes(JsonNode hex) {
        return HEX.parseHex(hex.asString());
    }

    /** Hashes data that begins anywhere, under a key among others. */
    private static long sip(byte[] data, byte[] key) {
        ByteBuffer halves = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
        int place = data.length % SubKeys.COUNT;
        long[] low = new long[SubKeys.COUNT];
        long[] high = new long[SubKeys.COUNT];
        low[place] = halves.getLong();
        high[place] = halves.getLong();
        byte[] text = new byte[data.length + 8];
        int from = data.length % 5;
        System.arraycopy(data, 0, text, from, data.length);
        long[] hashes = new long[SubKeys.COUNT];
        new SipHash(low, high).hashAll(text, from, from + data.length, hashes);
        return hashes[place];
    }

    private static long underFirst(HashAlgorithm algorithm, SubKeys keys, byte[] word) {
        long[] hashes = new long[SubKeys.COUNT];
        WordHash.of(algorithm, keys).hashAll(word, 0, word.length, hashes);
        return hashes[0];
    }

    @Test
    void primitives() {
        JsonNode primitives = vectors.get("primitives");
        assertThat(primitives.size()).isEqualTo(295);
        for (JsonNode vector : primitives) {
            byte[] data = new byte[vector.get("len").asInt()];
            for (int i = 0; i < data.length; i++) {
                data[i] = (byte) (37 * i + 11);
            }
            long seed = number(vector.get("seed"));
            assertThat(sip(data, bytes(vector.get("siphash_key")))).isEqualTo(number(vector.get("siphash")));
            assertThat(Hashing.xxh64(seed).hashBytesToLong(data)).isEqualTo(number(vector.get("xxh64")));
            assertThat(MumHash.hash(data, seed)).isEqualTo(number(vector.get("mum")));
            assertThat(Hashing.xxh3_64(seed).hashBytesToLong(data)).isEqualTo(number(vector.get("xxh3")));
        }
    }

    @Test
    void wordsUnderTheFirstSubKeyOfTheDefaultKey() {
        SubKeys keys = new SubKeys(Shingler.shinglesKeyOf("rspamd"));
        for (JsonNode vector : vectors.get("word_hashes_seed_of_default_key_0")) {
            byte[] word = bytes(vector.get("word"));
            assertThat(underFirst(HashAlgorithm.SIPHASH, keys, word)).isEqualTo(number(vector.get("siphash(key0)")));
            assertThat(underFirst(HashAlgorithm.XXHASH, keys, word)).isEqualTo(number(vector.get("xxh64")));
            assertThat(underFirst(HashAlgorithm.MUMHASH, keys, word)).isEqualTo(number(vector.get("mum")));
            assertThat(underFirst(HashAlgorithm.FASTHASH, keys, word)).isEqualTo(number(vector.get("xxh3")));
        }
    }

    @Test
    void blake2b() {
        for (JsonNode vector : vectors.get("blake2b_512")) {
            assertThat(Blake2b.digest512(bytes(vector.get("key")), bytes(vector.get("data")))).isEqualTo(
                    bytes(vector.get("out")));
        }
    }

    @Test
    void keys() {
        for (JsonNode vector : vectors.get("key_derivation")) {
            String configured = vector.get("configured_string_utf8").asString();
            assertThat(Blake2b.keyOf(configured)).isEqualTo(bytes(vector.get("fuzzy_key_used (all 64 bytes)")));
            byte[] key = Shingler.shinglesKeyOf(configured);
            assertThat(key).isEqualTo(bytes(vector.get("shingles_key_used (first 16 bytes)")));
            SubKeys subKeys = new SubKeys(key);
            for (int i = 0; i < SubKeys.COUNT; i++) {
                byte[] expected = bytes(vector.get("shingle_keys_32").get(i));
                byte[] actual = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(subKeys.low[i]).putLong(
                        subKeys.high[i]).array();
                assertThat(actual).isEqualTo(expected);
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> textShingles() {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode vector : vectors.get("shingles")) {
            tests.add(DynamicTest.dynamicTest(vector.get("name").asString() + " " + vector.get("alg").asString(),
                    () -> checkText(vector)));
        }
        assertThat(tests).hasSize(120);
        return tests.stream();
    }

    private static void checkText(JsonNode vector) {
        List<Integer> skipped = new ArrayList<>();
        if (vector.has("skipped_indexes")) {
            vector.get("skipped_indexes").forEach(index -> skipped.add(index.asInt()));
        }
        List<byte[]> words = new ArrayList<>();
        for (int i = 0; i < vector.get("words").size(); i++) {
            if (!skipped.contains(i)) {
                words.add(vector.get("words").get(i).asString().getBytes(StandardCharsets.UTF_8));
            }
        }
        Shingler shingler = Shingler.of(HashAlgorithm.ofOption(vector.get("alg").asString()),
                Shingler.shinglesKeyOf(vector.get("shingles_key_string").asString()));
        JsonNode expected = vector.get("shingles");
        assertThat(shingler.text(words)).isEqualTo(expected.isNull() ? new long[0] : numbers(expected));
        assertThat(Blake2b.digest512(Blake2b.keyOf("rspamd"), words)).isEqualTo(
                bytes(vector.get("text_digest_fuzzy_key_rspamd")));
    }

    private static long[] numbers(JsonNode array) {
        long[] values = new long[array.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = number(array.get(i));
        }
        return values;
    }

    @Test
    void noWordsYieldNoShingles() {
        for (HashAlgorithm algorithm : HashAlgorithm.values()) {
            Shingler shingler = Shingler.of(algorithm, Shingler.shinglesKeyOf("rspamd"));
            assertThat(shingler.text(List.of())).isEmpty();
            assertThat(shingler.html(List.of())).isEmpty();
        }
    }

    @Test
    void htmlShingles() {
        byte[] key = Shingler.shinglesKeyOf("rspamd");
        int compared = 0;
        for (JsonNode vector : read("html-shingles.json")) {
            List<String> tokens = new ArrayList<>();
            vector.get("tokens").forEach(token -> tokens.add(token.asString()));
            List<byte[]> bytes = Shingler.utf8(tokens);
            assertThat(Blake2b.digest512(key, bytes)).isEqualTo(bytes(vector.get("direct_digest_default_key")));
            for (String algorithm : vector.get("shingles").propertyNames()) {
                long[] actual = Shingler.of(HashAlgorithm.ofOption(algorithm), key).html(bytes);
                assertThat(actual).as("%s %s", vector.get("name"), algorithm).isEqualTo(
                        numbers(vector.get("shingles").get(algorithm)));
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(90);
    }

    @Test
    void algorithmNames() {
        assertThat(HashAlgorithm.ofOption(null)).isEqualTo(HashAlgorithm.SIPHASH);
        assertThat(HashAlgorithm.ofOption("old")).isEqualTo(HashAlgorithm.SIPHASH);
        assertThat(HashAlgorithm.ofOption("no such")).isEqualTo(HashAlgorithm.SIPHASH);
        assertThat(HashAlgorithm.ofOption("fast")).isEqualTo(HashAlgorithm.FASTHASH);
        assertThat(HashAlgorithm.ofOption("xxhash")).isEqualTo(HashAlgorithm.XXHASH);
        assertThat(HashAlgorithm.ofOption("mumhash")).isEqualTo(HashAlgorithm.MUMHASH);
        assertThat(Arrays.asList(HashAlgorithm.values())).hasSize(4);
    }
}
