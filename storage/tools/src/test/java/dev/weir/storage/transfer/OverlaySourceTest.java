package dev.weir.storage.transfer;

import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Update;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

import static org.assertj.core.api.Assertions.assertThat;

class OverlaySourceTest {
    @Provide
    Arbitrary<List<Update>> updates() {
        Arbitrary<Update> write = Combinators
                .combine(Arbitraries.longs().between(1, 12), Arbitraries.integers().between(0, 4),
                        Arbitraries.integers().between(-20, 20), Arbitraries.of(true, false))
                .as((n, flag, weight, signed) -> Samples.write(n, flag, weight, 1_000 + n,
                        signed ? Hashes.near(n, n % 3, 0xffff) : null));
        Arbitrary<Update> delete = Combinators
                .combine(Arbitraries.longs().between(1, 12), Arbitraries.integers().between(0, 4))
                .as((n, flag) -> new Update.Delete(Samples.digest(n), flag));
        Arbitrary<Update> deleteAll = Arbitraries.longs().between(1, 12)
                .map(n -> new Update.DeleteAll(Samples.digest(n)));
        Arbitrary<Update> refresh = Combinators
                .combine(Arbitraries.longs().between(1, 12), Arbitraries.longs().between(900, 1_100))
                .as((n, time) -> new Update.Refresh(Samples.digest(n), time));
        Arbitrary<Update> expire = Combinators
                .combine(Arbitraries.longs().between(1, 12), Arbitraries.integers().between(0, 4),
                        Arbitraries.longs().between(1_000, 1_050))
                .as((n, flag, before) -> new Update.Expire(Samples.digest(n), flag, before));
        return Arbitraries.frequencyOf(Tuple.of(1, refresh), Tuple.of(1, expire),
                Tuple.of(6, write), Tuple.of(2, delete),
                Tuple.of(1, deleteAll)).list().ofMaxSize(60);
    }

    @Property(tries = 300, seed = "1201")
    void returnsTheFutureContentOfTheStorage(@ForAll("updates") List<Update> settled,
            @ForAll("updates") List<Update> pending)
            throws Exception {
        Model before = new Model();
        settled.forEach(before::apply);
        Model after = new Model();
        settled.forEach(after::apply);
        pending.forEach(after::apply);
        List<StoredHash> seen = new ArrayList<>(
                Moves.all(new OverlaySource(Moves.of(before.all()), pending), new Omissions()));
        assertThat(seen).containsExactlyInAnyOrderElementsOf(after.all());
    }
}
