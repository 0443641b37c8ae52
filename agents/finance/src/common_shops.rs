//! The most common shops of some countries, for their category alone.
//!
//! What: [`common_category`], by a table of Germany, Britain, America, India and the Gulf. Why: whoever begins sees what their money went for without sorting
//! fifty shops first. Not here: merchants that are known as one however they are written (`category`); an entry here makes two names no one shop.

use std::{collections::BTreeMap, sync::LazyLock};
use toolcall_schema::Category;

/// Words of the longest entry.
const WORDS_MAX: usize = 4;

/// The category of a common shop by its normalised name; of several the longest entry decides.
pub(super) fn common_category(name: &str) -> Option<Category> {
    static TABLE: LazyLock<BTreeMap<&str, Category>> = LazyLock::new(|| {
        let rows = COMMON_SHOPS.iter();
        let shops = rows.flat_map(|(category, shops)| shops.split(',').map(|shop| (shop.trim(), *category)));
        shops.filter(|(shop, _)| !shop.is_empty()).collect()
    });
    let words: Vec<&str> = name.split(' ').collect();
    let runs = (1..=WORDS_MAX)
        .flat_map(|many| words.windows(many))
        .map(|run| run.join(" "));
    let within = runs.filter_map(|run| Some((run.len(), *TABLE.get(run.as_str())?)));
    let is_number = |word: &&str| word.chars().any(|c| c.is_ascii_digit());
    let alone = |words: Vec<&str>| TABLE.get(format!("={}", words.join(" ")).as_str()).copied();
    within
        .max_by_key(|(len, _)| *len)
        .map(|(_, category)| category)
        .or_else(|| {
            let without = words.iter().copied().filter(|word| !is_number(word)).collect();
            alone(words.clone()).or_else(|| alone(without))
        })
}

/// One or more whole words in a normalised name; behind `=` they are the whole name but for numbers, as in a longer one they mean something else.
const COMMON_SHOPS: &[(Category, &str)] = &[
    (
        Category::Groceries,
        "al maya, al meera, albertsons, aldi, aldi foods, aldi nord, aldi stores, aldi sued, aldi süd, alnatura, asda,
         big bazaar, bio company, carrefour, choithrams, =co op, co op food, =combi, coop, costco, country delight, =cvs,
         cvs pharmacy, danube, denn s biomarkt, denns, =dm, dm drogerie, dm drogeriemarkt, dm fil, dm markt, dm sagt, edeka,
         famila, flink, food lion, getraenke hoffmann, getränke hoffmann, globus, gorillas, =h e b, =heb, heritage fresh,
         hit markt, =iceland, iceland foods, instacart, instamart, kaufland, kibsons, kroger, lidl, lulu, lulu hypermarket,
         =m s, m s simply food, marks spencer, marktkauf, =meijer, milkbasket, monoprix, =more, morrisons, mueller drogerie,
         =müller, müller drogerie, nature s basket, natures basket, nesto, =netto, netto deutschland, netto marken,
         netto marken discount, netto marken discount ag, noon minutes, norma, ocado, othaim, panda retail, =penny, penny markt,
         penny sagt, picnic, publix, ratnadeep, reliance retail, reliance smart, rewe, rossmann, safeway, sainsbury s,
         sainsburys, =spar, spencer s, spinneys, sprouts, star bazaar, tamimi, tegut, tesco, trader joe s, trader joes,
         union coop, waitrose, wal mart, walgreens, walmart, wegmans, whole foods, wholefds, winco",
    ),
    (
        Category::Transport,
        "adnoc, agip, =aldrees, amtrak, =aral, aral ag, aral station, aral tankstelle, =arco, arriva, avanti west coast,
         bahn de, =bart, best undertaking, blusmart, bmrcl, =bolt, =bp, bp petrol, bpcl, bvg, caltrain, careem, =chevron, darb,
         =db, db bahn, db fernverkehr, db regio, db vertrieb, delhi metro, deutsche bahn, deutschlandticket, dubai metro,
         e zpass, emarat, enoc, eppco, =esso, esso station, exxon, exxonmobil, ezpass, fasttag, flixbus, flixtrain, free now,
         freenow, greyhound, =gwr, hala taxi, =hem, hem tankstelle, hindustan petroleum, hochbahn, hpcl, =hvv, indianoil, iocl,
         =jet, jet tankstelle, ksrtc, =kvb, lner, lyft, mawaqif, =metra, miles mobility, mmrda, =mobil, msrtc, mta, =mvg, =mvv,
         namma metro, national express, nextbike, northern rail, ola cabs, omv, parkhaus, parkmobile, paybyphone, petromin,
         =rheinbahn, ringgo, =rmv, =rta, rta dubai, s bahn, salik, share now, =shell, shell deutschland, shell station,
         shell tankstelle, sixt share, southeastern, speedway, =ssb, stadtmobil, stagecoach, =star, star tankstelle, =sunoco,
         tankstelle, =texaco, tfl, tier mobility, =total, total station, totalenergies, trainline, transport for london, =vbb,
         =vrr, =vvs, =wawa",
    ),
    (
        Category::BillsUtilities,
        "1 1 mail media, 1 1 telecom, 1und1, aadc, adani electricity, addc, aldi talk, anglian water, ard zdf, at t, batelco,
         beitragsservice, bharat gas, british gas, bses, bsr, =bt, bt group, =bulb, bwssb, comcast, con edison, coned, congstar,
         council tax, cox communications, deutsche telekom, dewa, dominion energy, =du, duke energy, e on, =edf, edf energy,
         =ee, ee limited, =enbw, entega, =eon, eprimo, etisalat, =ewe, florida power, freenet, gasag, giffgaff, hathway, hp gas,
         indraprastha gas, jio fiber, jiofiber, kahramaa, klarmobil, lichtblick, =m net, mahanagar gas, mahavitaran, mainova,
         mobily, msedcl, national grid, naturstrom, netcologne, =o2, o2 germany, octopus energy, omantel, ooredoo, ovo energy,
         pacific gas, pg e, pyur, rheinenergie, rundfunk ard zdf, =rwe, saudi electricity, =sce, scottish power, scottishpower,
         severn trent, sewa, sky digital, =spectrum, spectrum mobile, stadtwerk, stadtwerke, =stc, =swm, t mobile, talktalk,
         tangedco, tata play, telefonica, telefonica germany, telekom, thames water, =three, tibber, torrent power,
         tv licensing, united utilities, unitymedia, vattenfall, verizon, =vi, virgin media, vodafone, vodafone idea,
         wasserbetriebe, wasserwerk, water department, xfinity, yorkshire water, zain",
    ),
    (
        Category::Rent,
        "apartments, asteco, damac, =degewo, deutsche wohnen, ejari, emaar, equity residential, =gewobag, greystar,
         hausverwaltung, house rent, =howoge, kaltmiete, =leg, letting agents, lettings, miete, nestaway, openrent,
         property management, =saga, vonovia, warmmiete, wohnungsbau, wohnungsgenossenschaft",
    ),
    (
        Category::Shopping,
        "about you, =action, aliexpress, =alternate, =apple, apple store, argos, asos, =b m, b q, barnes noble, bath body works,
         bauhaus, best buy, boots, =c a, centrepoint, =conrad, currys, cyberport, deichmann, dollar general, dollar tree,
         =douglas, douglas parfümerie, ebay, etsy, =extra, fabindia, firstcry, fressnapf, galeria, =gap, =h m, h m hennes,
         =hagebau, hagebaumarkt, hennes mauritz, hoeffner, home centre, home depot, hornbach, hugendubel, höffner, =jarir,
         jarir bookstore, john lewis, jumbo electronics, karstadt, kaufhof, =kik, kohl s, kohls, lenskart, lifestyle stores,
         lowe s, lowes, macy s, macys, marshalls, matalan, =max, media markt, mediamarkt, namshi, =next, next retail, noon,
         nordstrom, notebooksbilliger, =obi, old navy, =otto, otto gmbh, otto versand, ounass, pantaloons, parfümerie douglas,
         =peek, peek cloppenburg, pepperfry, =petco, petsmart, =poco, poundland, primark, =purplle, reliance digital,
         reliance trends, =ross, =saturn, =screwfix, sephora, sharaf dg, shein, shoppers stop, =snapdeal, splash fashion,
         =staples, sun sand sports, superdrug, tanishq, =target, target store, tata cliq, tchibo, =tedi, temu, =thalia,
         thalia buch, thalia buchhandlung, titan company, tjmaxx, tk maxx, toom, ulta, uniqlo, =very, vijay sales, waterstones,
         wayfair, westside, =whsmith, wilko, =woolworth, =xxxlutz, zalando, =zara, zara com, zara home",
    ),
    (
        Category::FoodDelivery,
        "albaik, backwerk, baeckerei, barista coffee, behrouz, blue tokai, box8, bäcker, bäckerei, cafe coffee day, caffe nero,
         chick fil a, chipotle, costa coffee, deliveroo, diner, =ditsch, doener, doordash, dunkin, döner, eisdiele, five guys,
         freshmenu, gasthaus, gasthof, greggs, grill, grubhub, haldiram s, haldirams, hans im glück, herfy, hungerstation,
         imbiss, in n out, =itsu, jahez, just eat, kamps, kantine, konditorei, =kudu, le crobag, =leon, lieferando, magicpin,
         mcdonald s, mensa, nando s, nandos, nordsee, olive garden, panda express, panera, pizza, pizza express, pizzeria,
         =popeyes, =pret, pret a manger, =pub, saravana bhavan, shake shack, =sonic, =sweetgreen, taco bell, talabat,
         third wave coffee, tim hortons, vapiano, wagamama, wendy s, wendys, wetherspoon, wolt, wow momo, zomato uae",
    ),
    (
        Category::Entertainment,
        "=amc, amc theatres, cinemaxx, cinepolis, cinestar, cineworld, dream11, eventim, fandango, global village, hallenbad,
         =insider, kino, museum, =muvi, =national lottery, national trust, nintendo, odeon, platinumlist, playstation,
         reel cinemas, regal cinemas, schwimmbad, see tickets, six flags, stubhub, theater, ticketmaster, =uci, uci kinowelt,
         vox cinemas, =vue, wonderla, =xbox, =zoo",
    ),
    (
        Category::Health,
        "24 hour fitness, =apollo optik, apotheke, arztpraxis, aster clinic, aster pharmacy, =boots uae, bupa, cult fit,
         david lloyd, dental, dentist, docmorris, dr lal, =equinox, fielmann, fitness first, fitness time, fitx,
         fortis healthcare, fortis hospital, gymnation, =healthians, john reed, =kaiser, kaiser permanente, klinik, krankenhaus,
         =la fitness, labcorp, life pharmacy, lloyds pharmacy, manipal, max healthcare, mcfit, mediclinic, nahdi, =nhs, =nmc,
         optiker, physiotherapie, planet fitness, puregym, quest diagnostics, rite aid, =shop apotheke, specsavers, tata 1mg,
         the gym group, thyrocare, urban sports, zahnarzt",
    ),
    (
        Category::Education,
        "=allen, chegg, gems education, hochschule, khan academy, kindergarten, kita, navient, nelnet, nursery, open university,
         physics wallah, schule, student loans, studentenwerk, studierendenwerk, taaleem, tuition, universitaet, universität,
         upgrad, vedantu, =vhs, volkshochschule",
    ),
    (
        Category::Travel,
        "abhibus, air arabia, air india, airbnb, akasa, alaska air, american air, =avis, =booking, booking com, british airways,
         =check24, cleartrip, =condor, condor flugdienst, delta air, easemytrip, easyjet, emirates airline, emirates airlines,
         =enterprise, enterprise rent, etihad, europcar, eurostar, eurowings, expedia, flydubai, flynas, goibibo, gulf air,
         hertz, =hilton, hilton hotel, holiday inn, =hrs, hyatt, =ibis, ihcl, ixigo, jet2, jetblue, jugendherberge, jumeirah,
         lufthansa, marriott, oman air, premier inn, qatar airways, rotana, ryanair, saudia, sixt, skyscanner, southwest air,
         spicejet, taj hotels, travelodge, tui, united air, wego, wizz air, yatra",
    ),
    (
        Category::Subscriptions,
        "adobe, =aha, amazon prime video, anghami, apple com bill, audible, britbox, chatgpt, dazn, deezer, =disney,
         disney hotstar, disney plus, dropbox, gaana, github, google one, google play, google storage, hbo max, hulu, icloud,
         itunes, jiohotstar, jiosaavn, joyn, =max com, microsoft 365, new york times, nordvpn, =now tv, nytimes, openai, =osn,
         paramount plus, patreon, peacock, prime video, rtl, shahid, siriusxm, =sky, sky deutschland, sonyliv, =spiegel,
         starzplay, substack, the guardian, =the times, =tidal, =tod, =wow, wynk, youtubepremium, zee5, =zeit",
    ),
    (
        Category::Investment,
        "acorns, aj bell, angel one, bausparkasse, betterment, charles schwab, coinbase, =comdirect depot, =deka, e trade,
         fidelity, flatex, freetrade, hargreaves lansdown, hdfc securities, icici direct, indmoney, =nps, nutmeg, paytm money,
         ppf, robinhood, sarwa, scalable capital, smallcase, stashaway, trade republic, trading 212, union investment, vanguard,
         =wahed, wealthfront, =weltsparen",
    ),
];
