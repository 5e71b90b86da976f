package dev.weir.storage.server.request;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

import dev.weir.model.HtmlSides;
import dev.weir.model.Networks;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.ReplyRules;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.Waiting;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.stats.Counter;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.command.Extension;
import dev.weir.wire.reply.Reply;
import dev.weir.wire.reply.SideMatch;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests what the storage says about side hashes of HTML, to whom, and what it keeps. */
class HtmlSidesAnswerTest {
    private static final HtmlSides BRAND = new HtmlSides(1, 2, 3);
    private static final HtmlSides COPY = new HtmlSides(9, 8, 3);
    private static final long[] PAGE = Samples.shingles(5);

    private final HandlerFixture fixture = fixture(ReplyRules.ALL);

    private static HandlerFixture fixture(ReplyRules answers) {
        return new HandlerFixture(8, () -> Instant.ofEpochSecond(100_000), Access.DEFAULT.withAnswers(answers)
                .withUpdateSources(Networks.perFamily(StorageConfig.loopback())));
    }

    private static byte[] request(int code, int flag, long number, long[] shingles, Extension... extensions) {
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        CommandWriter writer = new CommandWriter().begin(bytes, 0, Generation.MULTI_FLAG, code).tag(1).value(5)
                .flag(flag).digest(Samples.digest(number).toBytes(), 0);
        if (shingles.length > 0) {
            writer.shingles(shingles);
        }
        for (Extension extension : extensions) {
            writer.extension(extension);
        }
        return Arrays.copyOf(bytes, writer.end());
    }

    private static byte[] ask(HandlerFixture at, Extension... extensions) {
        long[] near = Samples.changed(PAGE, 8, new SplittableRandom(1));
        return at.exchange(request(CommandCode.CHECK, 0, 1_000, near, extensions), false).orElseThrow();
    }

    private static Reply read(byte[] reply) {
        return Reply.decode(reply, 0, reply.length).orElseThrow();
    }

    private static void learn(HandlerFixture at, long number, int flag, HtmlSides sides) {
        at.index.apply(Samples.write(number, flag, 10, 1_000, Signature.of(PAGE, 0).withSides(sides)));
    }

    @Test
    void onlyWhoSendsSideHashesSeesADifference() {
        byte[] before = askOf(null);
        byte[] after = askOf(BRAND);
        assertThat(after).isEqualTo(before).hasSize(144);
    }

    private static byte[] askOf(@org.jspecify.annotations.Nullable HtmlSides sides) {
        HandlerFixture at = fixture(ReplyRules.ALL);
        at.index.apply(Samples.write(7, 20, 10, 1_000,
                Signature.of(PAGE, 0).withSides(sides)));
        return ask(at);
    }

    @Test
    void answersTheSimilarityAndItsParts() {
        learn(fixture, 7, 20, BRAND);
        Reply same = read(ask(fixture, new Extension.Sides(BRAND)));
        assertThat(same.probability()).isEqualTo(0.75f);
        assertThat(same.sides()).hasValue(new SideMatch(0.75f, 0.875f, HtmlSides.Cta.SAME, true, true, false));
        Reply other = read(ask(fixture, new Extension.Sides(COPY)));
        assertThat(other.probability()).isEqualTo(0.75f);
        assertThat(other.sides()).hasValueSatisfying(sides -> {
            assertThat(sides.similarity()).isCloseTo(0.225f, org.assertj.core.api.Assertions.within(1e-6f));
            assertThat(sides.cta()).isEqualTo(HtmlSides.Cta.DIFFERENT);
            assertThat(sides.sameDomains()).isFalse();
            assertThat(sides.sameFeatures()).isTrue();
        });
        byte[] exact = fixture.exchange(request(CommandCode.CHECK, 0, 7, PAGE, new Extension.Sides(BRAND)), false)
                .orElseThrow();
        assertThat(read(exact).sides()).hasValueSatisfying(sides -> assertThat(sides.similarity()).isOne());
    }

    @Test
    void aHashWithoutSideHashesIsAnsweredAsBefore() {
        fixture.index.apply(Samples.write(7, 20, 10, 1_000, Signature.of(PAGE, 0)));
        assertThat(read(ask(fixture, new Extension.Sides(BRAND))).sides()).isEmpty();
        learn(fixture, 7, 20, BRAND);
        assertThat(read(ask(fixture, new Extension.Sides(BRAND))).sides()).isPresent();
        // The first ones stay.
        learn(fixture, 7, 20, COPY);
        assertThat(read(ask(fixture, new Extension.Sides(BRAND))).sides().orElseThrow().cta())
                .isEqualTo(HtmlSides.Cta.SAME);
    }

    @Test
    void aProtectedTemplateGuardsWhateverWasLearnedFirst() {
        learn(fixture, 7, 20, BRAND);
        Extension[] asked = {new Extension.Sides(BRAND), new Extension.Protectors(List.of(21))};
        assertThat(read(ask(fixture, asked)).sides().orElseThrow().guarded()).isFalse();
        learn(fixture, 8, 21, COPY);
        assertThat(read(ask(fixture, asked)).sides().orElseThrow().guarded()).as("leads elsewhere").isFalse();
        learn(fixture, 9, 21, BRAND);
        assertThat(read(ask(fixture, asked)).sides().orElseThrow().guarded()).isTrue();
        assertThat(read(ask(fixture, new Extension.Sides(BRAND))).sides().orElseThrow().guarded()).isFalse();
        fixture.index.apply(Samples.write(9, 21, -10, 1_001, null));
        assertThat(read(ask(fixture, asked)).sides().orElseThrow().guarded()).as("without a value").isFalse();
    }

    @Test
    void aHiddenFlagDoesNotShowThroughAsProtector() {
        HandlerFixture hiding = fixture(ReplyRules.ALL.withForbidden(FlagSet.of(21)));
        learn(hiding, 7, 20, BRAND);
        learn(hiding, 9, 21, BRAND);
        learn(hiding, 7, 20, BRAND);
        Reply reply = read(ask(hiding, new Extension.Sides(BRAND), new Extension.Protectors(List.of(21))));
        assertThat(reply.flag()).isEqualTo(20);
        assertThat(reply.sides().orElseThrow().guarded()).isFalse();
    }

    @Test
    void keepsSideHashesAndWideFlagsOfAWrite() {
        byte[] write = request(CommandCode.WRITE, 0, 7, PAGE, new Extension.Sides(BRAND), new Extension.WideFlag(300));
        assertThat(fixture.handle(write, write.length)).isZero();
        QueuedUpdate queued = Waiting.in(fixture.queue).getFirst();
        assertThat(queued.update()).isInstanceOfSatisfying(Update.Write.class, update -> {
            assertThat(update.flag()).isEqualTo(300);
            assertThat(update.signature()).isEqualTo(Signature.of(PAGE, 0).withSides(BRAND));
        });
        byte[] delete = request(CommandCode.DEL, 0, 7, new long[0], new Extension.WideFlag(300));
        assertThat(fixture.handle(delete, delete.length)).isZero();
        assertThat(Waiting.in(fixture.queue).getFirst().update())
                .isEqualTo(new Update.Delete(Samples.digest(7), 300));
    }

    @Test
    void tellsWhatItKnowsOnlyIfAsked() {
        byte[] plain = fixture.exchange(request(CommandCode.PING, 0, 7, new long[0]), false).orElseThrow();
        assertThat(plain).hasSize(144);
        byte[] asked = fixture
                .exchange(request(CommandCode.PING, 0, 7, new long[0], new Extension.Capabilities()), false)
                .orElseThrow();
        assertThat(read(asked).takesWideFlags()).isTrue();
        assertThat(read(asked).keepsSides()).isTrue();
    }

    /** Two clients with other algorithms or keys do not find each other's similar texts. */
    @Test
    void countsOtherShinglesOfOneDigest() {
        fixture.index.apply(Samples.write(7, 1, 10, 1_000, Signature.of(PAGE, 0)));
        assertThat(fixture.exchange(request(CommandCode.CHECK, 0, 7, PAGE), false)).isPresent();
        assertThat(fixture.count(Counter.OTHER_SHINGLES)).isZero();
        assertThat(fixture.exchange(request(CommandCode.WRITE, 1, 7, Samples.shingles(6)), false)).isPresent();
        assertThat(fixture.count(Counter.OTHER_SHINGLES)).isEqualTo(1);
        assertThat(fixture.exchange(request(CommandCode.WRITE, 1, 7, PAGE), false)).isPresent();
        assertThat(fixture.count(Counter.OTHER_SHINGLES)).isEqualTo(1);
        HandlerFixture first = fixture(ReplyRules.ALL);
        first.index.apply(Samples.write(7, 1, 10, 1_000, Signature.of(PAGE, 0)));
        assertThat(first.exchange(request(CommandCode.CHECK, 0, 7, Samples.shingles(6)), false)).isPresent();
        assertThat(first.count(Counter.OTHER_SHINGLES)).isEqualTo(1);
    }
}
